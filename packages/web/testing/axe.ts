import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** WCAG 2.2, levels A and AA. */
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** What axe finds on the page, or within a selector, one line for each element: rule, what is wrong, and where. */
export async function axe(page: Page, within = "html"): Promise<string[]> {
  await page.evaluate(source);
  const results = await page.evaluate(
    ({ context, options }) =>
      (window as unknown as { axe: { run(...args: unknown[]): Promise<AxeResults> } }).axe.run(context, options),
    // Without reading style sheets first: no rule of these tags needs them, and one that is just replaced breaks the reading.
    {
      context: within,
      options: { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"], preload: false },
    },
  );
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${help} at ${target.join(" ")} ${html.slice(0, 120)}`),
  );
}
