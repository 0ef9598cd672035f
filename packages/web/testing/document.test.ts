import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createUlidSource } from "@spoor/protocol";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Script } from "../../protocol/testing/script.ts";
import { axe, openPlace, type Place } from "./harness.ts";
import { bigRun } from "./runs/big.ts";
import { demoRun, waitingDemo } from "./runs/demo.ts";
import { hostileRun, hostileTexts } from "./runs/hostile.ts";
import { recordEvents, recordGolden } from "./runs/recorded.ts";
import { sizes } from "./watched-page.ts";

const program = path.resolve(import.meta.dirname, "../../spoor/bin/spoor.js");
const newId = createUlidSource();

let place: Place;
let demo: string;
beforeAll(async () => {
  place = await openPlace();
  demo = await write(await demoRun(place), "demo");
});

/** Writes a run with the command, and returns the file. */
async function write(run_id: string, name: string, env: Record<string, string> = {}, flags: string[] = []) {
  const file = path.join(place.home, `${name}.html`);
  const args = ["export", run_id, "--format", "html", "--out", file, "--force", "--data", place.data];
  await promisify(execFile)(process.execPath, ["--conditions=spoor-source", ...flags, program, ...args], {
    env: { ...process.env, HOME: place.home, ...env },
  });
  return file;
}

/** Opens a file from the disk. The test fails if the page asks for anything, violates its policy, or logs an error. */
async function view(file: string, { scripts = true } = {}): Promise<Page> {
  const context = await place.browser.newContext({
    ...{ viewport: sizes.laptop, javaScriptEnabled: scripts, timezoneId: "Asia/Tokyo" },
  });
  const faults: string[] = [];
  onTestFinished(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });
  const page = await context.newPage();
  page.on("request", (request) => {
    if (request.url() !== address && !request.url().startsWith("data:image/")) faults.push(`request ${request.url()}`);
  });
  page.on("console", (message) => faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("dialog", (dialog) => faults.push(dialog.message()));
  page.on("popup", () => faults.push("a window was opened"));
  const address = pathToFileURL(file).href;
  await page.goto(address);
  return page;
}

describe("the file of a run", () => {
  it("shows what the page shows: head, talk, calls, diffs, approvals, subagents, changes and time", async () => {
    const page = await view(demo);
    const head = await page.locator("header").first().textContent();
    for (const words of ["Demo: a greeting program", "Done", "loop", "$0.00", "tokens in", "UTC", "9 turns"])
      expect(head).toContain(words);
    const talk = await page.locator("ol[aria-label=Conversation]").textContent();
    for (const words of [
      "I will write a small greeting",
      "not ok: it said",
      "Approved",
      "in a terminal",
      "reviewer",
      "Done.",
    ])
      expect(talk).toContain(words);
    expect(await page.locator("tr:has-text('world') mark").count()).toBeGreaterThan(0);
    expect(await page.locator("aside").textContent()).toMatch(/To do[\s\S]*Changes[\s\S]*Time[\s\S]*Cost/);
    expect(await page.locator("article").count()).toBe(2);
    expect(await page.locator("svg rect").count()).toBeGreaterThan(10);
    expect(await page.title()).toMatch(/^Done · Demo: a greeting/);
  });

  it("is accessible on every size in both themes, and fits them", async () => {
    const page = await view(demo);
    for (const [size, theme] of [
      ["laptop", "light"],
      ["laptop", "dark"],
      ["phone", "light"],
      ["narrow", "dark"],
    ] as const) {
      await page.setViewportSize(sizes[size]);
      await page.emulateMedia({ colorScheme: theme });
      expect(await axe(page), `${size}, ${theme}`).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), size).toBe(true);
    }
  });

  it("opens and closes calls by pointer, by keys, all at once, and by a link to them", async () => {
    const page = await view(demo);
    const card = page.locator("details", { hasText: "Update the list" }).first();
    const isOpen = () => card.evaluate((element: HTMLDetailsElement) => element.open);
    expect(await isOpen()).toBe(false);
    await card.locator("summary").click();
    expect(await isOpen()).toBe(true);
    await card.locator("summary").press("Enter");
    expect(await isOpen()).toBe(false);
    await page.getByRole("button", { name: "Open all" }).click();
    expect(await page.locator("details:not([open])").count()).toBe(0);
    await page.getByRole("button", { name: "Close all" }).click();
    expect(await page.locator("details[open]").count()).toBe(0);
    await page.locator("article a").last().click();
    await expect.poll(() => page.locator("details[open]").count()).toBe(1);
    await page.getByRole("link", { name: /^Changes/ }).click();
    expect(new URL(page.url()).hash).toBe("#changes");
  });

  it("is read whole without scripts, and its cards open", async () => {
    const page = await view(demo, { scripts: false });
    await page.getByText("I will write a small greeting program").waitFor();
    await expect(page.getByRole("button", { name: "Open all" }).isVisible()).resolves.toBe(false);
    await page.locator("summary", { hasText: "Create" }).first().click();
    await page.locator("details[open] >> text=Greets somebody").first().waitFor();
  });

  it("prints everything, also what is closed", async () => {
    const page = await view(demo);
    await page.emulateMedia({ media: "print" });
    const before = await page.evaluate(() => {
      dispatchEvent(new Event("beforeprint"));
      return document.querySelectorAll("details:not([open])").length;
    });
    expect(before).toBe(0);
    expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(10_000);
  });

  it("names no server, no token and no address to load, and is the same bytes each time, in any zone", async () => {
    const text = readFileSync(demo, "utf8");
    const token = readFileSync(path.join(place.data, "token"), "utf8").trim();
    expect(text).not.toContain(token);
    expect(text).not.toContain(new URL(place.url).host);
    expect(text).not.toMatch(
      /(?:src|action|srcset|poster)="(?!data:image)|url\(|@import|<(?:link|iframe|object|form|base)\b/i,
    );
    expect([...text.matchAll(/href="(?!#)[^"]*"/g)]).toEqual([]);
    expect(text.match(/<script/g)).toHaveLength(1);
    const [, run_id = ""] = /run_id=|(run_[0-9A-Z]{26})/.exec(text) ?? [];
    expect(readFileSync(await write(run_id, "again", { TZ: "America/New_York" }), "utf8")).toBe(text);
  });
});

it("names a run of a command by the command, as the list does", async () => {
  const { tasks, runs } = place.client;
  const task = await tasks.create({ kind: "shell", command: "echo from a task", start: true } as never);
  const run_id = (await tasks.get(task.task_id)).latest_run_id as string;
  await expect.poll(async () => (await runs.get(run_id)).ended_at, { timeout: 60_000 }).toBeDefined();
  const page = await view(await write(run_id, "command"));
  expect(await page.locator("h1").textContent()).toBe("echo from a task");
  expect(await page.locator("header .agent").textContent()).toContain("shell");
});

it("shows what waits while nobody has answered", async () => {
  const { run_id, child } = await waitingDemo(place);
  const page = await view(await write(run_id, "waiting"));
  await page.getByRole("region", { name: "Approval" }).waitFor();
  await page.getByText("Nobody had answered when this file was written.").waitFor();
  expect(await axe(page)).toEqual([]);
  child.kill("SIGKILL");
});

it("shows recorded runs of other agents, with their questions and pictures", async () => {
  const names = ["h8-ask-user-question.io", "p2-image-read", "k3-529-exhausted"];
  const recordings = names.map((name) => `claude/2.1.325/${name}.jsonl`);
  for (const run_id of (await recordGolden(place.data, recordings)).values()) {
    const page = await view(await write(run_id, run_id));
    expect(await page.locator("ol > li").count()).toBeGreaterThan(1);
    expect(await axe(page)).toEqual([]);
  }
});

it("cannot be taken over by what an agent wrote", async () => {
  const file = await write(await hostileRun(place.data), "hostile");
  const text = readFileSync(file, "utf8");
  expect(text.match(/<script/g)).toHaveLength(1);
  expect([...text].filter((character) => isHidden(character.codePointAt(0) ?? 0))).toEqual([]);
  const page = await view(file);
  await page.getByRole("button", { name: "Open all" }).click();
  const seen = (await page.locator("body").textContent()) ?? "";
  expect(seen).toContain(hostileTexts.script);
  expect(seen).toContain("\\u202e");
  expect(await page.evaluate(() => document.querySelectorAll("script, style, link, form, iframe, img").length)).toBe(2);
  expect(await page.evaluate(() => document.querySelectorAll("[onerror], [onload], [onfocus], [style]").length)).toBe(
    0,
  );
});

it("redacts again what leaves, however it was cut into pieces, and hides home directories", async () => {
  const canary = `canary-${newId()}`;
  const [one, two] = [canary.slice(0, 12), canary.slice(12)];
  const token = readFileSync(path.join(place.data, "token"), "utf8").trim();
  const script = new Script({ runId: newId(), startAt: Date.now() - 1_000 });
  script.begin();
  script.turn({ model: "m" });
  script.message("The key in /home/ann/app is ", one, two, ".");
  script.tool({ id: "t1", name: "Bash", kind: "shell", input: { command: `echo ${canary}` } });
  script.emit("shell_start", { command: `echo ${canary}`, cwd: "/home/ann/app", toolCallId: "t1" });
  script.emit("shell_stdout_delta", { delta: `it is ${one}`, toolCallId: "t1" });
  script.emit("shell_stdout_delta", { delta: `${two} and ${token}\n`, toolCallId: "t1" });
  script.emit("shell_exit", { exitCode: 0, durationMs: 9, toolCallId: "t1" });
  script.result("t1", "Bash", { text: `${canary} in /home/ann/app` });
  script.endTurn();
  const run_id = await recordEvents(place.data, script.end().events);
  const stored = path.join(place.home, "canary.jsonl");
  const args = [program, "export", run_id, "--format", "jsonl", "--out", stored, "--data", place.data];
  await promisify(execFile)(process.execPath, ["--conditions=spoor-source", ...args]);
  // The recorder did not know it, so it is in the log.
  expect(readFileSync(stored, "utf8")).toContain(canary);
  const text = readFileSync(await write(run_id, "canary", { DEPLOY_TOKEN: canary }), "utf8");
  expect(text).toContain("The key in ~/app is");
  for (const secret of [canary, two, token, "/home/ann"]) expect(text).not.toContain(secret);
});

it("replaces a secret also where a text is cut, or where the beginning and the end of an output meet", async () => {
  const canary = `canary-${newId()}`;
  const script = new Script({ runId: newId(), startAt: Date.now() - 1_000 });
  script.begin();
  script.turn({ model: "m" });
  script.message(upTo(65_536, canary));
  for (const size of [32_768, 65_536, 131_072, 300_000]) {
    const [id, command] = [`shell-${size}`, upTo(200, canary)];
    script.tool({ id, name: "Bash", kind: "shell", input: { command } });
    script.emit("shell_start", { command, cwd: "/srv", toolCallId: id });
    const output = upTo(size, canary) + upTo(32_768, canary);
    for (const piece of output.match(/.{1,20000}/gs) ?? [])
      script.emit("shell_stdout_delta", { delta: piece, toolCallId: id });
    script.emit("shell_exit", { exitCode: 0, durationMs: 900, toolCallId: id });
    script.result(id, "Bash", output);
  }
  script.endTurn();
  const run_id = await recordEvents(place.data, script.end().events);
  const text = readFileSync(await write(run_id, "cut", { DEPLOY_TOKEN: canary }), "utf8");
  expect(text).toContain("[redacted:DEPLOY_TOKEN]");
  expect(text).not.toContain(canary.slice(0, 16));
  expect(text).not.toContain(canary.slice(-10));
});

/** A text with the middle of a secret at a place, and more behind it. */
const upTo = (size: number, secret: string): string =>
  `${"word ".repeat(size / 5).slice(0, size - secret.length / 2)}${secret}${" more".repeat(40)}`;

it("writes a long run in little memory, and the browser opens it", async () => {
  const run_id = await bigRun(place.data, 60_000);
  // The whole run is 24 MB of JSON.
  const file = await write(run_id, "big", {}, ["--max-old-space-size=60"]);
  expect(statSync(file).size).toBeLessThan(9_000_000);
  const page = await view(file);
  expect(await page.locator("ol[aria-label=Conversation] > li").count()).toBeGreaterThan(2_000);
  await page.getByRole("link", { name: "Timeline" }).click();
  await page.getByText("What took longest").waitFor();
});

/** Controls besides tab and line break, marks of direction, and line breaks that only programs know. */
const isHidden = (code: number): boolean =>
  (code < 0x20 && code !== 0x09 && code !== 0x0a) ||
  [0x2028, 0x2029, 0xfeff].includes(code) ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2066 && code <= 0x2069);
