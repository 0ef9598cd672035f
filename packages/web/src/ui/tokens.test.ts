import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Least contrast of text, and of what only has to be seen: borders of controls, the focus ring, marks in charts (WCAG 2.2). */
const TEXT = 4.5;
const SHAPE = 3;

const themes = ["light", "dark"] as const;
const grounds = ["canvas", "surface", "raised", "sunken", "hover", "selected"];
const states = ["working", "needs", "done", "failed", "stalled"];
const diffGrounds = ["add", "del", "add-word", "del-word"];

/** Which colours stand on which. */
const pairs: readonly { least: number; colours: readonly string[]; grounds: readonly string[] }[] = [
  { least: TEXT, colours: ["ink", "ink-2", "ink-3", "accent"], grounds },
  ...states.map((state) => ({
    least: TEXT,
    colours: [state],
    grounds: ["canvas", "surface", "raised", "hover", `${state}-soft`],
  })),
  { least: TEXT, colours: ["ink", "ink-2", "ink-3"], grounds: states.map((state) => `${state}-soft`) },
  { least: TEXT, colours: ["on-ink"], grounds: ["ink", "accent", "failed", "done"] },
  { least: TEXT, colours: ["ink"], grounds: [...diffGrounds, "hunk"] },
  { least: TEXT, colours: ["ink-3"], grounds: ["add", "del", "hunk"] },
  { least: TEXT, colours: ["add-ink"], grounds: ["add", "surface", "canvas"] },
  { least: TEXT, colours: ["del-ink"], grounds: ["del", "surface", "canvas"] },
  {
    least: TEXT,
    colours: ["keyword", "string", "number", "name", "comment"].map((part) => `code-${part}`),
    grounds: ["surface", "sunken", ...diffGrounds],
  },
  {
    least: TEXT,
    colours: ["ink", "dim", "red", "green", "yellow", "blue", "magenta", "cyan"].map((part) => `term-${part}`),
    grounds: ["term"],
  },
  {
    least: SHAPE,
    colours: ["line-control", "focus", "t-model", "t-tool", "t-wait", "t-error", "s-1", "s-2", "s-3", "s-4", "s-5"],
    grounds: ["canvas", "surface"],
  },
];

const tokens = readTokens(readFileSync(new URL("./tokens.css", import.meta.url), "utf8"));

test.for(themes)("every text and every mark of the %s theme stands out from its ground", (theme) => {
  const tooWeak = pairs.flatMap(({ least, colours, grounds }) =>
    colours.flatMap((colour) =>
      grounds.flatMap((ground) => {
        const found = contrast(hexOf(colour, theme), hexOf(ground, theme));
        return found >= least ? [] : `${colour} on ${ground}: ${found.toFixed(2)}, needs ${least}`;
      }),
    ),
  );
  expect(tooWeak).toEqual([]);
});

test("the test detects a weak pair", () => {
  expect(contrast("#777777", "#ffffff")).toBeLessThan(TEXT);
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
});

function hexOf(name: string, theme: (typeof themes)[number]): string {
  const hex = tokens.get(name)?.[theme];
  if (hex === undefined) throw new Error(`tokens.css has no colour --${name}.`);
  return hex;
}

/** The colours of the file, which are written as `light-dark(#…, #…)` or, if both themes share one, as `#…`. */
function readTokens(css: string): Map<string, Record<(typeof themes)[number], string>> {
  const colour = /--([\w-]+):\s*(?:light-dark\((#[\da-f]{6}),\s*(#[\da-f]{6})\)|(#[\da-f]{6}));/g;
  return new Map(
    [...css.matchAll(colour)].map(([, name = "", light, dark, both]) => [
      name,
      { light: light ?? both ?? "", dark: dark ?? both ?? "" },
    ]),
  );
}

function contrast(one: string, other: string): number {
  const [bright = 0, dim = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dim + 0.05);
}

/** The relative luminance of a colour, as WCAG defines it. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
