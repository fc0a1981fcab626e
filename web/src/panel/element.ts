/** Elements of the page, made in one call. */

type Child = Node | string | null | undefined;

interface Given {
  readonly class?: string;
  readonly text?: string;
  readonly on?: Readonly<Record<string, (event: Event) => void>>;
  readonly [attribute: string]: unknown;
}

/** An element with attributes, listeners and children. `true` sets an attribute, `false` and null leave it out. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  given: Given = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name === "text") made.textContent = String(value);
    else if (name === "on")
      for (const [event, listener] of Object.entries(given.on!)) made.addEventListener(event, listener);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A place for what may be wider than the page: the keyboard scrolls it, and shadows say on which side there is more. */
export function scroller(label: string, child: HTMLElement): HTMLElement {
  return el("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, child);
}

/** Shapes on a grid of 24, drawn with lines. */
const ICONS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14M16 5v14",
  next: "M5 5v14l9-7zM18 5v14",
  back: "M19 5v14l-9-7zM6 5v14",
  rewind: "M20 5v14l-8-7zM12 5v14l-8-7z",
  slower: "M5 12h14",
  faster: "M5 12h14M12 5v14",
  sun: "M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  close: "M6 6l12 12M18 6L6 18",
  save: "M12 4v11M7 11l5 5l5-5M5 20h14",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  whole: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  help: "M9 9.2a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.400M12 17.5v.01",
} as const;

export type Icon = keyof typeof ICONS;

export function icon(name: Icon): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon", `icon-${name}`);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** A button with an icon, a label for those who do not see it, and a text if it is to be seen. */
export function button(
  name: Icon | null,
  label: string,
  press: () => void,
  given: Given = {},
  text = "",
): HTMLButtonElement {
  return el(
    "button",
    { type: "button", "aria-label": text ? null : label, title: label, ...given, on: { click: press } },
    name ? icon(name) : null,
    text || null,
  );
}

/** Give a file to the browser to save. */
export function save(name: string, content: Blob | string, type = "text/plain"): void {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
