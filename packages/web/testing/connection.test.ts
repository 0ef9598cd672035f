import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, expect, it, onTestFinished } from "vitest";
import { openLog } from "../../spoor/src/log/open.ts";
import { draft, startRun } from "../../spoor/testing/server/serve.ts";
import { axe, openPlace, type Place } from "./harness.ts";
import { bigRun } from "./runs/big.ts";

let place: Place;

beforeAll(async () => {
  place = await openPlace();
});

/** A test that failed may have left the server stopped. */
afterEach(async () => {
  const answers = await fetch(place.url).then(
    () => true,
    () => false,
  );
  if (!answers) await place.start();
});

/** What a browser logs by itself when a server is away, or wants a login. */
const breaks = [/WebSocket|ERR_CONNECTION_REFUSED|Failed to load resource|net::ERR/];

/** A run that another process writes, word by word. */
async function talkingRun() {
  const log = await openLog({ directory: place.data, durability: "process" });
  onTestFinished(() => log.close());
  const run = await startRun(log, 1);
  const words: string[] = [];
  return {
    ...run,
    words,
    async say(count: number) {
      const fresh = Array.from({ length: count }, (_, at) => `w${words.length + at}`);
      words.push(...fresh);
      const deltas = fresh.map((word) =>
        draft("assistant.text_delta", { turn_index: 1, block_index: 0, delta: `${word} ` }),
      );
      await run.add(...deltas);
    },
  };
}

const wordsOn = async (page: Page): Promise<string[]> =>
  (await page.locator("#main").textContent())?.match(/w\d+/g) ?? [];

const notice = (page: Page, kind: string) => page.locator(`[data-notice="${kind}"]`);

it("a server that is killed while a text streams loses nothing and doubles nothing, in two tabs, and the page says so", async () => {
  const run = await talkingRun();
  await run.say(5);
  const tabs = await Promise.all([0, 1].map(() => place.open(`/runs/${run.run_id}`, { expected: breaks })));
  const both = (check: (page: Page) => Promise<unknown>) => Promise.all(tabs.map(({ page }) => check(page)));
  await both((page) => page.getByText("w4").waitFor());
  await run.say(200);
  await both((page) => page.getByText("w204").waitFor());
  await both((page) =>
    page.waitForFunction(() => performance.getEntriesByType("resource").some(({ name }) => /timeline.*js/.test(name))),
  );

  await place.stop("SIGKILL");
  await run.say(38);
  await both((page) => notice(page, "gone").getByText("Start it with npx spoor serve.").waitFor());
  for (const { page } of tabs) expect(await axe(page, "[data-notice]")).toEqual([]);
  // What is known can be looked at without the server.
  await both((page) => page.getByRole("link", { name: "Timeline" }).click());
  await both((page) => page.getByRole("application", { name: /Timeline of the run/ }).waitFor());
  await both((page) => page.getByRole("link", { name: "Conversation" }).click());
  // It is said for a few seconds only, so it is looked for from now on.
  const said = both((page) =>
    notice(page, "back").getByText("38 events came in meanwhile. None lost, none twice.").waitFor(),
  );
  await place.start();
  await both((page) =>
    page
      .getByRole("button", { name: "Try now" })
      .click({ timeout: 2_000 })
      .catch(() => {}),
  );
  await said;
  await run.say(3);
  await both((page) => page.getByText("w245").waitFor());
  for (const { page } of tabs) expect(await wordsOn(page)).toEqual(run.words);
  await both((page) => notice(page, "back").waitFor({ state: "detached" }));

  await run.finish();
  await both((page) => page.getByText("Done").first().waitFor());
});

it("one connection carries the list, the run and what waits", async () => {
  const run = await talkingRun();
  const sockets: string[] = [];
  const { page } = await place.open("/", {
    prepare: async (context) => {
      context.on("page", (opened) => opened.on("websocket", (socket) => sockets.push(socket.url())));
    },
  });
  await page.getByText("Live").first().waitFor();
  await page.locator(`a[href="/runs/${run.run_id}"]`).first().click();
  await run.say(3);
  await page.getByText("w2").first().waitFor();
  await page.getByRole("link", { name: /Timeline/ }).click();
  await page.waitForURL("**/timeline");
  await page.getByRole("link", { name: /Conversation/ }).click();
  await page.getByText("w2").first().waitFor();
  expect(sockets).toEqual([`${place.url.replace("http", "ws")}/v1/ws`]);
});

it("after a logout nothing of the log stays on screen, and the page goes on after the login", async () => {
  const run = await talkingRun();
  await run.say(3);
  const { page, context } = await place.open(`/runs/${run.run_id}`, { expected: breaks });
  await page.getByText("w2").first().waitFor();
  await context.clearCookies();
  await place.stop("SIGTERM");
  await place.start();
  await page.getByRole("heading", { name: "You are logged out." }).waitFor();
  expect(await page.locator("body").textContent()).not.toMatch(/w\d/);
  expect(await page.title()).toBe("Logged out · Spoor");
  expect(await axe(page)).toEqual([]);
  await run.say(4);
  await context.addCookies([place.cookie]);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("w6").first().waitFor();
  expect(await wordsOn(page)).toEqual(run.words);
});

it("a page that was never logged in says how to log in", async () => {
  const { page } = await place.open("/", { loggedIn: false, expected: breaks, size: "phone", theme: "dark" });
  await page.getByRole("heading", { name: "You are logged out." }).waitFor();
  await page.getByText("npx spoor login").waitFor();
  expect(await axe(page)).toEqual([]);
});

it("missing events and a newer server are said", async () => {
  const run = await talkingRun();
  await run.say(3);
  const change = { from: "", to: "" };
  const { page } = await place.open("/", { expected: breaks });
  await page.routeWebSocket(/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => socket.send(String(message).replaceAll(change.from, change.to)));
    sockets.add(socket);
  });
  const sockets = new Set<{ close(): Promise<void> }>();
  const cut = async () => {
    for (const socket of sockets) await socket.close();
    sockets.clear();
  };
  await page.goto(`/runs/${run.run_id}`);
  await page.getByText("w2").first().waitFor();
  Object.assign(change, { from: '"status":"ok"', to: '"status":"gap"' });
  await cut();
  await notice(page, "gap").getByText("Back, but events are missing.").waitFor();
  await notice(page, "gap").getByRole("button", { name: "Close" }).click();
  await notice(page, "gap").waitFor({ state: "detached" });
  Object.assign(change, { from: '"schema_version":"1"', to: '"schema_version":"9"' });
  await cut();
  await notice(page, "old_page").getByText("This page is older than the server.").waitFor();
  expect(await axe(page, "[data-notice]")).toEqual([]);
});

it("the output of a command in a long run that is over is read when its card is opened", async () => {
  const runId = await bigRun(place.data, 6_000);
  const { page } = await place.open(`/runs/${runId}`);
  const card = page.getByRole("button", { name: /npm test -- part-1\b/ }).first();
  await card.waitFor();
  if ((await card.getAttribute("aria-expanded")) === "false") await card.click();
  await page.getByText("ok 0 - test 1.0 passes").first().waitFor();
});

it("a log that was replaced by a shorter one is not mixed with what is shown", async () => {
  const run = await talkingRun();
  await run.say(3);
  const { page } = await place.open(`/runs/${run.run_id}`, { expected: breaks });
  await page.getByText("w2").first().waitFor();
  await page.getByText("Live").first().waitFor();
  await place.stop("SIGTERM");
  for (const name of readdirSync(place.data))
    if (name !== "token") rmSync(path.join(place.data, name), { recursive: true, force: true });
  await place.start();
  await notice(page, "log_replaced").getByText("The log was replaced.").waitFor();
  expect(await axe(page, "[data-notice]")).toEqual([]);
  await page.getByRole("button", { name: "Read again" }).click();
  await notice(page, "log_replaced").waitFor({ state: "detached" });
  expect(await wordsOn(page)).toEqual([]);
});
