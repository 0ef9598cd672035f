import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { openPlace, type Place } from "./harness.ts";
import { bigRun } from "./runs/big.ts";
import { demoRun } from "./runs/demo.ts";
import { settled } from "./settled.ts";

let place: Place;
let demo: string;
let big: string;

beforeAll(async () => {
  place = await openPlace();
  [demo, big] = await Promise.all([demoRun(place), bigRun(place.data)]);
});

const addressOf = (page: Page): string => new URL(page.url()).pathname;

it("a person without a mouse reaches every screen", async () => {
  const { page } = await place.open("/");
  await settled(page);
  await page.keyboard.press("Tab");
  expect(await focused(page)).toMatch(/skip to content/i);
  await page.keyboard.press("Enter");
  for (const [keys, address, filter] of [
    [["g", "a"], "/approvals", "Search runs and commands"],
    [["g", "c"], "/compare", "Search runs and commands"],
    [["g", "u"], "/usage", "Search runs and commands"],
    [["g", "e"], "/events", "Only these types"],
    [["g", "r"], "/", "Filter runs"],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForURL(`**${address}`);
    await settled(page);
    await page.keyboard.press("/");
    await expect.poll(() => focused(page)).toBe(`INPUT ${filter}`);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/runs/*");
});

it("the views of a run have the keys 1 to 4, and each has a visible focus", async () => {
  const { page } = await place.open(`/runs/${demo}`);
  await settled(page);
  for (const [key, end] of [
    ["2", "/changes"],
    ["3", "/timeline"],
    ["4", "/events"],
    ["1", demo],
  ] as const) {
    await page.keyboard.press(key);
    await page.waitForURL(`**${end}`);
    await settled(page);
    await page.keyboard.press("Tab");
    expect(await hasFocusRing(page), addressOf(page)).toBe(true);
  }
});

it("Tab walks through a screen without a trap", async () => {
  const { page } = await place.open(`/runs/${demo}`);
  await settled(page);
  const seen = new Set<string>();
  for (let step = 0; step < 120; step += 1) {
    await page.keyboard.press("Tab");
    const name = await focused(page);
    if (name === "" && seen.size > 5) break;
    seen.add(name);
  }
  expect(seen.size).toBeGreaterThan(12);
});

it("a run of 100,000 events opens at once, holds few rows, and can be read from both ends", async () => {
  const { page } = await place.open(`/runs/${big}`);
  await page
    .getByText(/Step \d+, word/)
    .first()
    .waitFor();
  expect(await page.locator("main *").count()).toBeLessThan(4_000);
  await page.keyboard.press("End");
  await page
    .getByText(/Step 1[5-9]\d\d, word/)
    .first()
    .waitFor();
  expect(await page.locator("main *").count()).toBeLessThan(4_000);
  for (const view of ["changes", "timeline", "events"]) {
    await page.goto(`/runs/${big}/${view}`);
    await settled(page);
    expect(await page.locator("main *").count(), view).toBeLessThan(4_000);
  }
});

/** The text or the name of the element that has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return "";
    return `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent ?? ""}`.trim().slice(0, 80);
  });

const hasFocusRing = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return false;
    const { outlineStyle, boxShadow } = getComputedStyle(element);
    return outlineStyle !== "none" || boxShadow !== "none";
  });
