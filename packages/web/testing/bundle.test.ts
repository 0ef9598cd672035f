import { beforeAll, expect, it } from "vitest";
import { budgets } from "./bundle-budgets.ts";
import { bundleSizes, type ScreenSize } from "./bundle-sizes.ts";

let sizes: ScreenSize[];

beforeAll(async () => {
  sizes = await bundleSizes();
}, 60_000);

const of = (screen: string): ScreenSize =>
  sizes.find((size) => size.screen === screen) ?? expect.unreachable(`There is no chunk ${screen}.`);

it("the first screen and a run stay within their budgets", () => {
  const [first, run] = [of("first"), of("run")];
  expect(first.script / 1000).toBeLessThanOrEqual(budgets.first);
  expect((first.script + run.script) / 1000).toBeLessThanOrEqual(budgets.run);
  expect(first.style / 1000).toBeLessThanOrEqual(budgets.style);
  expect(run.style / 1000).toBeLessThanOrEqual(budgets.runStyle);
});

it("every other screen loads little more", () => {
  const run = new Set(of("run").modules);
  for (const { screen, script, modules } of sizes) {
    // A view of a run is opened after the run, so it shares what the run has loaded.
    const isOfRun = modules.some((id) => run.has(id) && id.includes("/src/run/"));
    const more = isOfRun ? script - of("run").script : script;
    if (screen !== "first" && screen !== "run") expect([screen, more / 1000 <= budgets.other]).toEqual([screen, true]);
  }
});

it("no screen loads a schema, and no part of Node", () => {
  const found = sizes
    .filter(({ screen }) => screen !== "decode")
    .flatMap(({ screen, modules }) => modules.filter((id) => foreign.test(id)).map((id) => `${screen}: ${id}`));
  expect(found).toEqual([]);
});

/** Nobody on the page decodes events, so the chunk `decode` is never loaded. */
const foreign = /typebox|protocol\/src\/schema\.ts|(agent-events|envelope)\/catalog\.ts|__vite-browser-external/;
