import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { openLog } from "../../../spoor/src/log/open.ts";
import { budgets } from "../bundle-budgets.ts";
import { bundleSizes } from "../bundle-sizes.ts";
import { launchChromium } from "../chromium.ts";
import { bigEvents } from "../runs/big.ts";
import { recordEvents } from "../runs/recorded.ts";
import { type Served, startServed } from "../served.ts";
import { openWatched } from "../watched-page.ts";
import { type LiveRun, liveRun } from "./live-run.ts";

// Measures the page, as a program of its own, and prints a line of JSON for each cost:
//
//   node --conditions=spoor-source packages/web/testing/measure/page-costs.ts EVENTS SECONDS

/** A cost as a share of what it may be. */
interface PageCost {
  what: string;
  ratio: number;
  against: string;
  goal: number;
  on: string;
}

/** The budgets of the page, for a laptop. */
const FIRST_PAINT_MS = 1_000;
const HEAP_MB = 250;
/** How much longer the slowest frames may take than those of the same page while nothing happens. */
const FRAMES = 2;
const EVENTS_PER_SECOND = 500;
const ROUNDS = 3;

/** What people wait for and what their machine pays: a run of many events, a fast stream, the size of the page. */
async function* pageCosts({ events, seconds }: { events: number; seconds: number }): AsyncGenerator<PageCost> {
  yield* sizeRows();
  const [served, browser] = await Promise.all([startServed(), launchChromium()]);
  try {
    yield* browserRows(served, browser, events, seconds);
  } finally {
    await browser.close();
    await served.close();
  }
}

const cost = (what: string, ratio: number, against: string, goal: number, on: string): PageCost => ({
  what,
  ratio,
  against,
  goal,
  on,
});

async function* sizeRows(): AsyncGenerator<PageCost> {
  const sizes = new Map((await bundleSizes()).map((size) => [size.screen, size]));
  const [first, run] = [sizes.get("first"), sizes.get("run")];
  if (!first || !run) throw new Error("The page has no first screen, or no screen of a run.");
  const kilobytes = (what: string, bytes: number, budget: number, on = "") =>
    cost(what, bytes / 1000 / budget, `the budget of ${budget} kB`, 1, `${(bytes / 1000).toFixed(1)} kB gzip${on}`);
  const others = [...sizes.values()].filter(({ screen }) => screen !== "first" && screen !== "run");
  const list = others.map(({ screen, script }) => `${screen} ${(script / 1000).toFixed(1)}`).join(", ");
  yield kilobytes("scripts of the first screen", first.script, budgets.first);
  yield kilobytes(
    "scripts of a run, with the first screen",
    first.script + run.script,
    budgets.run,
    `; others: ${list}`,
  );
  yield kilobytes("styles of the first screen", first.style, budgets.style);
}

async function* browserRows(
  served: Served,
  browser: Browser,
  events: number,
  seconds: number,
): AsyncGenerator<PageCost> {
  const story = bigEvents(events);
  const over = await recordEvents(served.data, story);
  const log = await openLog({ directory: served.data, durability: "process" });
  try {
    const live = await liveRun(log, over);
    for (const [runId, words] of [
      [over, "run that is over"],
      [live.runId, "live run, its end"],
    ] as const) {
      const ms = await bestFirstRow(browser, served, runId);
      const on = `${events} events, ${ms.toFixed(0)} ms, the best of ${ROUNDS}`;
      yield cost(`first paint of a ${words}`, ms / FIRST_PAINT_MS, "the budget of 1 s", 1, on);
    }
    const { page, close } = await openWatched(browser, served, `/runs/${live.runId}`, { prepare: noteFirstRow });
    await firstRow(page);
    yield* liveRows(page, live, seconds, events);
    await close();
  } finally {
    await log.close();
  }
}

async function* liveRows(page: Page, live: LiveRun, seconds: number, events: number): AsyncGenerator<PageCost> {
  const idle = percentiles(await framesDuring(page, () => live.quiet(seconds)));
  const busy = percentiles(await framesDuring(page, () => live.stream(EVENTS_PER_SECOND, seconds)));
  const on = `p50 ${busy.p50.toFixed(1)} ms, p95 ${busy.p95.toFixed(1)} ms; idle ${idle.p50.toFixed(1)} and ${idle.p95.toFixed(1)} ms`;
  const what = `slow frames (p95) at ${EVENTS_PER_SECOND} events a second`;
  yield cost(what, busy.p95 / idle.p95, "the same page without events", FRAMES, on);

  const session = await page.context().newCDPSession(page);
  const before = await heapMb(session);
  await live.replay(page);
  const after = await heapMb(session);
  const figures = `${after.toFixed(0)} MB, ${before.toFixed(0)} MB before; ${2 * events} events in all`;
  yield cost("heap after an hour's events", after / HEAP_MB, `the budget of ${HEAP_MB} MB`, 1, figures);
}

/** Runs in the page: notes when the first row of the conversation was painted. */
async function noteFirstRow(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const look = () => {
      if (!document.querySelector("[data-row]")) requestAnimationFrame(look);
      else
        requestAnimationFrame(() => document.documentElement.setAttribute("data-first-row", String(performance.now())));
    };
    requestAnimationFrame(look);
  });
}

/** Opens the run several times, each time in a browser that knows nothing. The first time warms the machine up. */
async function bestFirstRow(browser: Browser, served: Served, runId: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { page, close } = await openWatched(browser, served, `/runs/${runId}`, { prepare: noteFirstRow });
    times.push(await firstRow(page));
    await close();
  }
  return Math.min(...times);
}

async function firstRow(page: Page): Promise<number> {
  await page.waitForSelector("html[data-first-row]", { timeout: 60_000, state: "attached" });
  return Number(await page.getAttribute("html", "data-first-row"));
}

/** The times between frames while something happens. */
async function framesDuring(page: Page, work: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const times: number[] = [];
    Object.assign(window, { frameTimes: times });
    const note = (time: number) => {
      times.push(time);
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  await work();
  const times = await page.evaluate(() => {
    const { frameTimes } = window as unknown as { frameTimes: number[] };
    return frameTimes.splice(0);
  });
  return times.slice(1).map((time, at) => time - (times[at] ?? time));
}

function percentiles(values: readonly number[]): { p50: number; p95: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95) };
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}

const [events = 2_000, seconds = 1] = process.argv.slice(2).map(Number);
for await (const measured of pageCosts({ events, seconds })) console.log(JSON.stringify(measured));
