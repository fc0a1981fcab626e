/** A button that gives out a link. */

import { button, el } from "./element";

/** The link in a field, and whether it is in the clipboard, too. */
export async function linkField(
  address: string,
): Promise<{ readonly field: HTMLInputElement; readonly isCopied: boolean }> {
  const field = el("input", {
    type: "text",
    readonly: true,
    value: address,
    "aria-label": "Link",
    "data-test": "link",
  });
  const isCopied = await navigator.clipboard.writeText(address).then(
    () => true,
    () => false,
  );
  return { field, isCopied };
}

/** Beside the title of what is shown. */
export function linkButton(address: () => Promise<string>): HTMLElement {
  const said = el("span", { class: "link-said", role: "status" });
  const give = async (): Promise<void> => {
    const { field, isCopied } = await linkField(await address());
    said.replaceChildren(isCopied ? el("span", { class: "soft", text: "Copied" }) : "", field);
    field.select();
  };
  const words = "Copy a link to what is shown, at this time";
  return el(
    "div",
    { class: "link-to" },
    said,
    button("link", words, () => void give(), { class: "outline" }, "Link"),
  );
}
