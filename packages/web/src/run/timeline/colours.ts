import { useEffect, useState } from "react";

/** The colours that the pictures use. They are those of the style sheet, so a theme is changed in one place. */
const names = {
  ink: "var(--ink)",
  ink2: "var(--ink-2)",
  ink3: "var(--ink-3)",
  line: "var(--line)",
  surface: "var(--surface)",
  model: "var(--t-model)",
  think: "var(--t-think)",
  tool: "var(--t-tool)",
  wait: "var(--t-wait)",
  waitGround: "var(--needs-soft)",
  error: "var(--t-error)",
  idle: "var(--t-idle)",
  onBar: "light-dark(#ffffff, #14130f)",
  subagent: "color-mix(in srgb, var(--t-tool) 26%, var(--surface))",
} as const;

export type Colours = { readonly [Name in keyof typeof names]: string } & {
  readonly sans: string;
  readonly mono: string;
};

/** Reads the colours of the theme, and reads them again when the theme changes. A canvas does not know variables. */
export function useColours(): Colours | undefined {
  const [colours, set] = useState<Colours>();
  useEffect(() => {
    const update = () => set(readColours());
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const theme = new MutationObserver(update);
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    dark.addEventListener("change", update);
    update();
    return () => {
      theme.disconnect();
      dark.removeEventListener("change", update);
    };
  }, []);
  return colours;
}

function readColours(): Colours {
  const probe = document.createElement("i");
  probe.style.setProperty("forced-color-adjust", "none");
  probe.hidden = true;
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const read = Object.entries(names).map(([name, value]) => {
    probe.style.color = value;
    return [name, style.color];
  });
  const fonts = { sans: style.getPropertyValue("--sans"), mono: style.getPropertyValue("--mono") };
  probe.remove();
  return { ...Object.fromEntries(read), ...fonts } as Colours;
}
