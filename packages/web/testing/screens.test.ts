import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { axe, openPlace, type Place } from "./harness.ts";
import { demoRun, waitingDemo } from "./runs/demo.ts";
import { goldenRecordings, recordGolden } from "./runs/recorded.ts";
import { settled, sidewaysScroll, visit } from "./settled.ts";
import type { Theme } from "./watched-page.ts";

let place: Place;
let ids: { done: string; waiting: string; approval: string; other: string };

beforeAll(async () => {
  place = await openPlace();
  const recording = goldenRecordings().find((name) => /^claude\/.*edit/.test(name)) ?? "claude/2.1.325/a-text.jsonl";
  const [done, waiting, golden] = await Promise.all([
    demoRun(place),
    waitingDemo(place),
    recordGolden(place.data, [recording]),
  ]);
  ids = { done, waiting: waiting.run_id, approval: waiting.approval_id, other: golden.get(recording) ?? "" };
});

/** Every address of the page, by what it shows, with what the title of the tab says about it. */
const screens: readonly [name: string, target: () => string, title: string][] = [
  ["all runs", () => "/", ""],
  ["a new run", () => "/?new", ""],
  ["a run that is over", () => `/runs/${ids.done}`, "Done · Demo: a greeting program"],
  ["its changes", () => `/runs/${ids.done}/changes`, "Done · Demo: a greeting program"],
  ["its timeline", () => `/runs/${ids.done}/timeline`, "Done · Demo: a greeting program"],
  ["its events", () => `/runs/${ids.done}/events`, "Done · Demo: a greeting program"],
  ["a run that waits", () => `/runs/${ids.waiting}`, "Needs you · Demo: a greeting program"],
  ["a recorded run", () => `/runs/${ids.other}`, "Done · Run of claude"],
  ["approvals", () => "/approvals", "Approvals"],
  ["an approval", () => `/approvals/${ids.approval}`, "Approvals"],
  ["nothing to compare", () => "/compare", "Compare"],
  ["two runs compared", () => `/compare?run=${ids.done}&run=${ids.other}`, "Compare"],
  ["usage", () => "/usage", "Usage"],
  ["all events", () => "/events", "Events"],
  ["a run that does not exist", () => "/runs/run_01AAAAAAAAAAAAAAAAAAAAAAAA", "No such run"],
  ["an address that does not exist", () => "/nowhere", "No such page"],
];

const expected = [/status of 404/];

describe.for([
  ["laptop", "light"],
  ["laptop", "dark"],
  ["phone", "light"],
] as const)("on a %s in the %s theme", ([size, theme]: readonly ["laptop" | "phone", Theme]) => {
  it("axe finds nothing on any screen, nothing goes wrong, and no screen scrolls sideways", async () => {
    const { page, faults } = await place.open("/", { size, theme, expected });
    await settled(page);
    const found: Record<string, string[]> = {};
    for (const [name, target] of screens) {
      await visit(page, target());
      const problems = [...(await axe(page)), ...(await sidewaysScroll(page)), ...faults.splice(0)];
      if (problems.length > 0) found[name] = problems;
    }
    expect(found).toEqual({});
  });
});

it.for([
  ["320 px wide", { width: 320, height: 640 }],
  ["at 200 % zoom", { width: 720, height: 450 }],
] as const)("%s no screen scrolls sideways", async ([, viewport]) => {
  const { page, faults } = await place.open("/", { size: "narrow", expected });
  await page.setViewportSize(viewport);
  const found: Record<string, string[]> = {};
  for (const [name, target] of screens) {
    await visit(page, target());
    const problems = [...(await sidewaysScroll(page)), ...faults.splice(0)];
    if (problems.length > 0) found[name] = problems;
  }
  expect(found).toEqual({});
});

it("on a tablet every changed file has its name, and the parts of a run beside it stay within the page", async () => {
  const { page } = await place.open(`/runs/${ids.done}/changes`, { size: "tablet" });
  await settled(page);
  const names = page.getByRole("navigation", { name: "Files" }).getByRole("link");
  for (const name of await names.all()) {
    const width = await name.locator(".cut").evaluate((element) => element.getBoundingClientRect().width);
    expect(width).toBeGreaterThan(30);
  }
  await visit(page, `/runs/${ids.done}`);
  const review = await page.getByRole("complementary").getByRole("link", { name: "Review" }).boundingBox();
  expect((review?.x ?? 0) + (review?.width ?? 0)).toBeLessThanOrEqual(900);
});

/** What opens over a screen: where, and what a person presses. */
const dialogs: readonly [name: string, target: () => string, open: (page: Page) => Promise<unknown>][] = [
  ["search", () => "/", (page) => page.keyboard.press("Control+k")],
  ["all keys", () => "/", (page) => page.keyboard.press("?")],
  [
    "revert all",
    () => `/runs/${ids.done}/changes`,
    (page) => page.getByRole("button", { name: /^Revert all/ }).click(),
  ],
];

it.for(["light", "dark"] as const)(
  "axe finds nothing in a dialog in the %s theme, and Escape closes it",
  async (theme) => {
    const { page } = await place.open("/", { theme });
    await settled(page);
    const found: Record<string, string[]> = {};
    for (const [name, target, open] of dialogs) {
      await visit(page, target());
      await open(page);
      await page.getByRole("dialog").waitFor();
      const problems = await axe(page);
      if (problems.length > 0) found[name] = problems;
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
    }
    expect(found).toEqual({});
  },
);

it("a screen has its landmarks, and touch targets are 24 px or more", async () => {
  const { page } = await place.open("/", { size: "phone" });
  const found: string[] = [];
  for (const target of ["/", `/runs/${ids.done}`, "/approvals", "/usage"]) {
    await visit(page, target);
    for (const role of ["main", "navigation"] as const)
      if ((await page.getByRole(role).count()) === 0) found.push(`${target} has no ${role}`);
    found.push(...(await page.evaluate(smallTargets)).map((element) => `${target}: ${element}`));
  }
  expect(found).toEqual([]);
});

/** Runs in the browser: buttons and fields that are smaller than 24 px. Links in a text may be. */
function smallTargets(): string[] {
  return [...document.querySelectorAll<HTMLElement>("button, select, textarea, input, nav a")].flatMap((element) => {
    const { width, height } = (element.closest("label") ?? element).getBoundingClientRect();
    if (width === 0 || height === 0 || (width >= 24 && height >= 24) || !element.checkVisibility()) return [];
    return [`${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent} ${width}×${height}`];
  });
}

it("each screen opens from its address, has one heading of the first level, and names itself in the title", async () => {
  const { page } = await place.open("/", { expected });
  for (const [name, target, title] of screens) {
    await page.goto(target());
    await settled(page);
    expect([name, await page.locator("h1").count()]).toEqual([name, 1]);
    const whole = ["▲ 1", title, "Spoor"].filter(Boolean).join(" · ");
    await expect.poll(async () => [name, await page.title()]).toEqual([name, whole]);
  }
});

it("in forced colours and with reduced motion every screen still works", async () => {
  const { page } = await place.open("/", { expected });
  await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
  for (const [, target] of screens) await visit(page, target());
  const moving = await page.evaluate(
    () => document.getAnimations().filter(({ playState }) => playState === "running").length,
  );
  expect(moving).toBe(0);
});
