/** Light or dark: what the system says, until the user says otherwise. */

const KEPT = "ackclock-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function kept(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

export function isDark(): boolean {
  return document.documentElement.dataset["theme"] === "dark";
}

function apply(): void {
  const chosen = kept();
  const dark = chosen === null ? system.matches : chosen === "dark";
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}

/** Begin, and call `changed` when the colours have become others. */
export function watchTheme(changed: () => void): void {
  apply();
  system.addEventListener("change", () => {
    apply();
    changed();
  });
}

export function switchTheme(): void {
  try {
    localStorage.setItem(KEPT, isDark() ? "light" : "dark");
  } catch {
    document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
    return;
  }
  apply();
}
