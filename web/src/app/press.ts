/** Keys: the player's, unless something is being written or pressed. */

import { meaning } from "../model/keys";
import type { Player } from "../panel/player";

export function press(
  event: KeyboardEvent,
  overlay: HTMLDialogElement,
  player: Player | null,
  theme: () => void,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey || overlay.open) return;
  const target = event.target as HTMLElement;
  if (target.matches("textarea, select, input:not([type=range], [type=checkbox])")) return;
  const meant = meaning(event);
  if (!meant) return;
  // Space presses the button or box that has the focus; arrows move the slider that has it.
  if (event.key === " " && target.matches("button, input, summary, a")) return;
  if (event.key.startsWith("Arrow") && target.matches("input[type=range]")) return;
  if (meant.action === "theme") theme();
  else if (meant.action === "help") overlay.showModal();
  else if (player) player.act(meant.action, meant.digit);
  else return;
  event.preventDefault();
}
