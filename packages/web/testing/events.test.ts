import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { axe, openPlace, type Place } from "./harness.ts";
import { hostileRun } from "./runs/hostile.ts";
import { minutesRun } from "./runs/minutes.ts";

/** A busy machine takes its time. */
const soon = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 60_000 });

let place: Place;
let run: string;
beforeAll(async () => {
  place = await openPlace();
  run = await minutesRun(place.data);
});

const rows = (page: Page) => page.getByRole("list", { name: "Events" }).getByRole("button");
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const allowCopying = {
  prepare: (context: { grantPermissions(names: string[]): Promise<void> }) =>
    context.grantPermissions(["clipboard-read", "clipboard-write"]),
};
/** Runs a copied command in a shell that has the token. */
const runCopied = (command: string): string => {
  const TOKEN = readFileSync(path.join(place.data, "token"), "utf8").trim();
  return execFileSync("sh", ["-c", command], { env: { ...process.env, TOKEN }, encoding: "utf8" });
};

async function storedLines(of: string): Promise<string[]> {
  const TOKEN = readFileSync(path.join(place.data, "token"), "utf8").trim();
  const headers = { accept: "application/x-ndjson", authorization: `Bearer ${TOKEN}` };
  return (await (await fetch(`${place.url}/v1/runs/${of}/events`, { headers })).text()).trimEnd().split("\n");
}

describe("the events of a run", () => {
  it("are a table from the end on, of which one is shown as it is stored", async () => {
    const { page } = await place.open(`/runs/${run}/events`, allowCopying);
    const stored = await storedLines(run);
    await rows(page).last().waitFor();
    await soon(() => rows(page).last().textContent()).toContain("run.finished");
    await page.keyboard.press("j");
    for (let back = 0; back < 5; back += 1) await page.keyboard.press("k");
    await page.waitForURL(/event=\d+/);
    await rows(page).filter({ hasText: "529 overloaded" }).first().click();
    await page.waitForURL(/event=\d+/);
    const at = Number(new URL(page.url()).searchParams.get("event"));
    const json = page.locator("[data-event-json] pre");
    await soon(() => json.textContent()).toContain(`"sequence": ${at}`);
    expect(JSON.parse((await json.textContent()) ?? "")).toEqual(JSON.parse(stored[at] ?? ""));
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await soon(() => clipboard(page)).toBe(stored[at]);
    await page.locator("[data-event-json]").getByRole("button", { name: "Copy as curl" }).click();
    await soon(() => clipboard(page)).toMatch(/^curl .*\$TOKEN/);
    expect(runCopied(await clipboard(page))).toBe(`${stored[at]}\n`);
    expect(await axe(page)).toEqual([]);
    await page.reload();
    await soon(() => json.textContent()).toContain(`"sequence": ${at}`);
    await page.getByRole("link", { name: "Show in conversation" }).click();
    await page.waitForURL(new RegExp(`/runs/${run}#e${at}$`));
  });

  it("are narrowed by fineness and by types, which the address keeps; unknown types are said", async () => {
    const { page } = await place.open(`/runs/${run}/events?type=tool.*`, allowCopying);
    await rows(page).first().waitFor();
    const types = async () => (await rows(page).allInnerTexts()).map((text) => text.split("\n")[2] ?? "");
    await soon(async () => (await types()).every((type) => type.startsWith("tool."))).toBe(true);
    await page.getByRole("button", { name: "Copy as curl" }).first().click();
    await soon(() => clipboard(page)).toContain("event_type=tool.*");
    const listed = JSON.parse(runCopied(await clipboard(page))) as { data: { type: string }[] };
    expect(listed.data.length).toBeGreaterThan(20);
    const field = page.getByLabel("Only these types");
    await field.fill("turn.started, acme.done, Wrong!");
    await page.getByText("Spoor itself writes no “acme.done”").waitFor();
    await page.getByText("“wrong!” is not a type").waitFor();
    await soon(async () => [...new Set(await types())]).toEqual(["turn.started"]);
    await soon(() => new URL(page.url()).searchParams.get("type")).toContain("turn.started");
    await field.fill("");
    await page.getByRole("button", { name: "Turns" }).click();
    await page.waitForURL(/granularity=turn/);
    await soon(async () => (await types()).some((type) => type.includes("delta"))).toBe(false);
    await field.fill("nothing.here");
    await page.getByText("No event has one of these types.").waitFor();
  });

  it("of a hostile run change nothing on the page, and show hidden marks as codes", async () => {
    const hostile = await hostileRun(place.data);
    const { page } = await place.open(`/runs/${hostile}/events?type=assistant.text_complete`);
    await rows(page).filter({ hasText: "\\u202e" }).first().click();
    await soon(() => page.locator("[data-event-json] pre").textContent()).toContain("\\u202e");
    await page.goto(`/runs/${hostile}/timeline`);
    await page.getByRole("application").waitFor();
    await page.keyboard.press("ArrowDown");
  });

  it("open in a sheet on a phone", async () => {
    const { page } = await place.open(`/runs/${run}/events`, { size: "phone" });
    await rows(page).last().click();
    await page.getByRole("dialog").getByText('"sequence"').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });
});

describe("the events of all runs", () => {
  it("come in live at the end, and wait behind a pill while the reader looks elsewhere", async () => {
    const { page } = await place.open("/events?type=external.event,run.finished", { theme: "dark" });
    await rows(page).last().waitFor();
    const post = (note: string) => place.client.post(run, { note });
    await post("first");
    await soon(() => rows(page).last().textContent()).toContain("first");
    expect(await rows(page).last().textContent()).toContain(`…${run.slice(-6)}`);
    for (let index = 0; index < 60; index += 1) await post(`more ${index}`);
    await soon(() => rows(page).last().textContent()).toContain("more 59");
    const list = page.getByRole("list", { name: "Events" });
    await list.evaluate((element) => ((element.parentElement as HTMLElement).scrollTop = 0));
    await post("last");
    await page.getByRole("button", { name: "1 new" }).click();
    await soon(() => rows(page).last().textContent()).toContain("last");
    await rows(page).last().click();
    await soon(() => page.locator("[data-event-json] pre").textContent()).toContain('"note": "last"');
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press("o");
    await page.waitForURL(new RegExp(`/runs/${run}$`));
  });
});
