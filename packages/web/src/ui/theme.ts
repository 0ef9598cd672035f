import { stored } from "./stored.ts";

export type Theme = "system" | "light" | "dark";

const isTheme = (text: string | null): text is "light" | "dark" => text === "light" || text === "dark";

/** The chosen theme. `/assets/theme-1.js` reads the same key before the first paint. */
export const theme = stored<Theme>(
  "theme",
  (text) => (isTheme(text) ? text : "system"),
  (chosen) => (chosen === "system" ? null : chosen),
);

/** Draws the page in the chosen theme from now on, also when another tab changes it. */
export function applyTheme(): () => void {
  const apply = () => {
    const chosen = theme.read();
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
  };
  apply();
  return theme.subscribe(apply);
}

/** Changes from light to dark or back, from what is seen now. */
export function toggleTheme(): Theme {
  const chosen = theme.read();
  const isDark = chosen === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
  theme.write(isDark ? "light" : "dark");
  return theme.read();
}
