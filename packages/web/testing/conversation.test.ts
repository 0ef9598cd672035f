import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { axe, openPlace, type Place } from "./harness.ts";
import { askingRun } from "./runs/asking.ts";
import { commandedRun } from "./runs/commanded.ts";
import { demoRun, waitingDemo } from "./runs/demo.ts";
import { settled } from "./settled.ts";

let place: Place;
let done: string;

beforeAll(async () => {
  place = await openPlace();
  done = await demoRun(place);
});

const row = (page: Page, kind: string) => page.locator(`[data-kind="${kind}"]`);
const reply = (page: Page) => page.locator("[data-reply]");
const scrollTop = (page: Page) => page.evaluate(() => Math.round(scrollY));

describe("a run that goes on", () => {
  it("asks, is approved from its card, shows its diff, and is done", async () => {
    const { run_id } = await waitingDemo(place);
    const { page } = await place.open(`/runs/${run_id}`);
    await page.getByText("May this run start?").waitFor();
    await expect.poll(() => page.title()).toContain("▲");
    // A key counts only once the question has been on screen for a while, so it is pressed until it counts.
    await expect
      .poll(async () => {
        await page.keyboard.press("a");
        return page.getByText("May this run start?").count();
      })
      .toBe(0);
    await page.getByText("May it make this change?").waitFor();
    await expect.poll(() => page.locator("header h1 + .chip").textContent()).toBe("Needs you");
    // It followed the end up to the card, so its key counts without scrolling.
    await expect
      .poll(async () => {
        await page.keyboard.press("a");
        return page.getByText("May it make this change?").count();
      })
      .toBe(0);
    await page.getByText("Done.", { exact: true }).waitFor();
    // It followed the end all the time.
    await expect.poll(() => page.evaluate(() => document.body.scrollHeight - innerHeight - scrollY)).toBeLessThan(41);
    expect(await axe(page)).toEqual([]);
  });

  it("in a terminal is answered, streams its text, gets a follow-up, and is interrupted by two keys", async () => {
    const run_id = await commandedRun(place, "hello question half");
    const { page } = await place.open(`/runs/${run_id}`);
    await page.getByText("Heard hello.").waitFor();
    await page.getByLabel("Your answer").fill("gre");
    await page.reload();
    expect(await page.getByLabel("Your answer").inputValue()).toBe("gre");
    await page.getByLabel("Your answer").fill("green");
    await page.keyboard.press("Control+Enter");
    await page.getByText("green").first().waitFor();
    await page.getByText("Which colour?").first().waitFor();
    await page.getByText("This sentence is").waitFor();
    await page.locator('[class*="caret"]').waitFor({ state: "attached" });
    await expect.poll(() => page.locator("header h1 + .chip").textContent()).toBe("Working");

    await page.keyboard.press("Escape");
    await page.keyboard.press("r");
    await page.keyboard.type("Then say goodbye");
    // The button is there for a few seconds only, so the page presses it by itself.
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        const button = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Take back");
        if (!button) return;
        observer.disconnect();
        document.documentElement.dataset.held = document.querySelector<HTMLTextAreaElement>("[data-reply]")?.value;
        button.click();
      });
      observer.observe(document.body, { subtree: true, childList: true });
    });
    await page.keyboard.press("Control+Enter");
    await page.locator('html[data-held=""]').waitFor();
    await expect.poll(() => reply(page).inputValue()).toBe("Then say goodbye");
    // The second time sends it at once.
    for (let press = 0; press < 2; press += 1) await reply(page).press("Control+Enter");
    await row(page, "prompt").getByText("Then say goodbye").waitFor();

    await page.keyboard.press("Escape");
    await page.keyboard.press("i");
    // A second press counts for two seconds only.
    await page.getByRole("button", { name: "Press I again" }).waitFor();
    await expect
      .poll(async () => {
        await page.keyboard.press("i");
        return page.getByText(/Interrupted/).count();
      })
      .toBeGreaterThan(0);
    // This agent ends when it is interrupted.
    await page.getByRole("button", { name: "Retry", exact: true }).waitFor();
  });

  it("in a terminal is paused, goes on again, is cancelled, and is repeated with the same program", async () => {
    const run_id = await commandedRun(place, "hang");
    const { page } = await place.open(`/runs/${run_id}`);
    await expect.poll(() => page.locator("header h1 + .chip").textContent()).toBe("Working");
    const choose = async (name: string | RegExp) => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    await choose(/^Pause$/);
    await expect.poll(() => page.locator("header h1 + .chip").textContent()).toBe("Paused");
    await page.getByRole("button", { name: "Go on" }).click();
    await expect.poll(() => page.locator("header h1 + .chip").textContent()).toBe("Working");
    await choose(/Cancel the run/);
    await page.getByRole("button", { name: "Cancel the run", exact: true }).click();
    await page
      .getByText(/^Cancelled/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
    await expect.poll(() => page.url(), { timeout: 60_000 }).not.toContain(run_id);
    await expect.poll(() => page.locator("header h1 + .chip").textContent(), { timeout: 60_000 }).toBe("Working");
    const next = page.url().split("/").at(-1) ?? "";
    await place.client.runs.cancel(next, {}, { wait: 20 });
  });
});

describe("a run that is over", () => {
  it("opens at its prompt, and shows what it did", async () => {
    const { page } = await place.open(`/runs/${done}`);
    await settled(page);
    expect(await scrollTop(page)).toBe(0);
    await page.getByText("Write a small greeting program with a test").first().waitFor();
    await page.getByText('not ok: it said "Hello, !"').waitFor();
    await page.locator("aside").getByText("estimated from list prices").waitFor();
    await page.locator("aside").getByText("greet.sh").waitFor();
  });

  it("opens at the event that a link names, and follows other links", async () => {
    const { page } = await place.open(`/runs/${done}#e250`);
    const card = page.locator('[data-sequence="250"]').first();
    await card.waitFor();
    await expect.poll(async () => (await card.boundingBox())?.y ?? 0).toBeGreaterThan(150);
    expect((await card.boundingBox())?.y).toBeLessThan(500);
    await page.evaluate(() => {
      location.hash = "#e6";
    });
    await expect.poll(() => scrollTop(page)).toBeLessThan(60);
  });

  it("is read by keyboard only", async () => {
    const { page } = await place.open(`/runs/${done}`);
    await row(page, "prompt").waitFor();
    await settled(page);
    for (let press = 0; press < 5; press += 1) await page.keyboard.press("j");
    const expanded = page.locator("[data-toggle]:focus");
    await expanded.waitFor();
    const before = await expanded.getAttribute("aria-expanded");
    await page.keyboard.press("Enter");
    await expect.poll(() => expanded.getAttribute("aria-expanded")).not.toBe(before);
    await page.keyboard.press("k");
    await page.keyboard.press("]");
    await page.locator('[data-kind="turn"]:focus').waitFor();
    await page.keyboard.press("h");
    await page.getByText("Thinking shown").waitFor();
    await page.keyboard.press("h");
    await page.keyboard.press("f");
    await page.keyboard.type("second opinion");
    await page
      .getByText(/of 3|of 2/)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("End");
    await page.getByText("Done.", { exact: true }).waitFor();
    await page.keyboard.press("2");
    await expect.poll(() => page.url()).toContain("/changes");
    await page.keyboard.press("1");
    await page.locator("[data-row]").first().waitFor();
  });

  it("is continued by a follow-up in a new run, and keeps a draft over a reload", async () => {
    const { page } = await place.open(`/runs/${done}`);
    await row(page, "prompt").waitFor();
    await reply(page).fill("Now greet the moon");
    await page.reload();
    await row(page, "prompt").waitFor();
    await expect.poll(() => reply(page).inputValue()).toBe("Now greet the moon");
    await reply(page).press("Control+Enter");
    await expect.poll(() => page.url(), { timeout: 60_000 }).not.toContain(done);
    await page.getByText("Continues").first().waitFor();
    await page.getByText("Now greet the moon").first().waitFor();
    const next = page.url().split("/").at(-1) ?? "";
    await place.client.runs.cancel(next, {}, { wait: 20 }).catch(() => {});
  });

  it("says why an action is not possible, and what a run that is gone means", async () => {
    const child = (await place.client.runs.list({ limit: 50 })).data.find(({ parent_run_id }) => parent_run_id);
    const { page } = await place.open(`/runs/${child?.run_id}`);
    await row(page, "prompt").waitFor();
    expect(await page.getByRole("button", { name: "Retry", exact: true }).isDisabled()).toBe(true);
    expect(await reply(page).getAttribute("placeholder")).toContain("run of a subagent");
    const other = await place.open("/runs/run_01J00000000000000000000000", { expected: [/404/] });
    await other.page.getByText("There is no run …000000.").waitFor();
  });
});

it("lets go of the end when the reader scrolls up, counts what is new, and moves nothing", async () => {
  const { run_id, approval_id } = await waitingDemo(place);
  await place.client.approvals.resolve(approval_id, { decision: "approve" });
  const { page } = await place.open(`/runs/${run_id}`);
  await page.getByText("Both files are written.").waitFor();
  await page.getByText("May it make this change?").waitFor();
  const prompt = row(page, "prompt");
  await page.keyboard.press("Home");
  await prompt.waitFor();
  await expect.poll(() => scrollTop(page)).toBe(0);
  await page.keyboard.press("End");
  await expect.poll(() => scrollTop(page)).toBeGreaterThan(0);
  await page.mouse.move(600, 500);
  await page.mouse.wheel(0, -5_000);
  await expect.poll(() => scrollTop(page)).toBe(0);
  const at = (await prompt.boundingBox())?.y;
  const dock = page.getByRole("region", { name: "Waits for you" });
  await dock.getByRole("button", { name: "Review" }).waitFor();
  const waiting = (await place.client.approvals.list({ status: "pending", run_id })).data[0];
  await place.client.approvals.resolve(waiting?.approval_id ?? "", { decision: "approve" });
  await page.getByRole("button", { name: /new items? below/ }).waitFor();
  expect((await prompt.boundingBox())?.y).toBe(at);
  await page.getByRole("button", { name: /new items? below/ }).click();
  await page.getByText("Done.", { exact: true }).waitFor();
});

it("leaves the field to somebody who writes when something is asked out of view, and takes no letter for an answer", async () => {
  const say = Array.from({ length: 80 }, (_, line) => `Line ${line}.`).join("\n\n");
  const ask = (command: string) => ({ ask: "Bash", input: { command } });
  const { run_id, approval_id } = await askingRun(place, "Write meanwhile", [{ say }, ask("ls"), ask("rm notes.txt")]);
  const { page } = await place.open(`/runs/${run_id}`);
  await page.getByText("Line 79.").waitFor();
  await page.keyboard.press("Home");
  const dock = page.getByRole("region", { name: "Waits for you" });
  await dock.getByText("ls", { exact: true }).waitFor();

  await page.keyboard.press("r");
  await page.keyboard.type("and ");
  await place.client.approvals.resolve(approval_id, { decision: "approve" });
  await dock.getByText("rm notes.txt").waitFor();
  // A press counts after half a second, so there are some before and some after it.
  for (let letter = 0; letter < 12; letter += 1) await page.keyboard.type("a", { delay: 80 });
  expect(await reply(page).inputValue()).toBe(`and ${"a".repeat(12)}`);
  expect((await place.client.approvals.list({ status: "pending" })).data.map(({ run_id: id }) => id)).toContain(run_id);

  await dock.getByRole("button", { name: "Approve" }).click();
  await dock.waitFor({ state: "detached" });
  expect(await reply(page).inputValue()).toBe(`and ${"a".repeat(12)}`);
});

it.for(["light", "dark"] as const)("is accessible and fits a phone, in the %s theme", async (theme) => {
  const { page } = await place.open(`/runs/${done}`, { size: "phone", theme });
  await row(page, "prompt").waitFor();
  await settled(page);
  expect(await axe(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

it.for([
  ["rm notes.txt", ["Approve A", "Deny D", ""]],
  ["rm notes.txt && rm -rf ~/everything-else", ["Review", "Deny D"]],
] as const)("offers to approve %s in the dock only if its line shows all of it", async ([command, buttons]) => {
  const text = `${"One more line.\n\n".repeat(30)}The end.`;
  const { run_id } = await askingRun(place, "Clean up", [{ say: text }, { ask: "Bash", input: { command } }]);
  const { page } = await place.open(`/runs/${run_id}`, { size: "phone" });
  await page.getByText("The end.").waitFor();
  await page.evaluate(() => scrollTo(0, 0));
  const dock = page.getByRole("region", { name: "Waits for you" }).getByRole("button");
  await expect.poll(() => dock.allTextContents()).toEqual(buttons);
});
