import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { ApprovalRecord } from "@spoor/protocol/client";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { axe, openPlace, type Place } from "./harness.ts";
import { waitingInTerminal, waitingRun } from "./runs/waiting.ts";

const SOON = { timeout: 60_000 };
/** A lost race is an answer with status 409, which the browser notes on its console. */
const lost = { expected: [/status of 409/, /status of 410/] };

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});

const run = (command: string) => [{ ask: { tool: "Bash", input: { command } } }];

const read = (approval: ApprovalRecord) => place.client.approvals.get(approval.approval_id);

const approveButton = (page: Page) => page.getByRole("button", { name: /^Approve/ });

/** Presses as soon as a press counts: the question has been on screen for half a second. */
async function press(page: Page, name: RegExp, isDone: () => Promise<unknown>): Promise<void> {
  await page.getByRole("button", { name }).first().waitFor();
  await expect
    .poll(
      async () => {
        await page
          .getByRole("button", { name })
          .first()
          .click({ timeout: 500 })
          .catch(() => {});
        return isDone();
      },
      { timeout: 60_000, interval: 100 },
    )
    .toBeTruthy();
}

const isDecided = (approval: ApprovalRecord) => async () => (await read(approval)).status !== "pending";

it("lets exactly one of two tabs and a terminal answer, and tells the others who was faster", async () => {
  const approval = await waitingRun(place, "Race", run("rm notes.txt"));
  const { approval_id: id, run_id } = approval;
  const [first, second] = await Promise.all([
    place.open(`/approvals/${id}`, lost),
    place.open(`/approvals/${id}`, lost),
  ]);
  for (const { page } of [first, second]) {
    await approveButton(page).waitFor();
    await page.waitForFunction(() => performance.now() > 1_500);
  }
  const at = Date.now() + 500;
  const terminal = place.spoor(["approve", id, "--data", place.data], { stderr: "pipe" });
  const [said, warned, [code]] = await Promise.all([
    text(terminal.stdout),
    text(terminal.stderr as NodeJS.ReadableStream),
    once(terminal, "exit") as Promise<[number]>,
    pressAt(first.page, "Approve", at),
    pressAt(second.page, "Deny", at),
  ]);
  const { status, by } = await read(approval);
  const word = status === "approved" ? "Approved" : "Denied";
  // The decision is one event.
  const decisions: unknown[] = [];
  for await (const { data } of place.client.events.list(run_id))
    decisions.push(...data.filter(({ type }) => type === "approval.resolved"));
  expect(decisions).toHaveLength(1);
  const outcomes = await Promise.all([first, second].map(({ page }) => outcomeOn(page, word)));
  const winners = [...outcomes.map(({ isMine }) => isMine), code === 0];
  expect(winners.filter(Boolean), JSON.stringify({ outcomes, said, warned, code, by })).toHaveLength(1);
  for (const { isMine, told } of outcomes) {
    if (isMine) expect(by).toBe("http");
    else expect(told).toMatch(/^Already (approved|denied) (from|by) (another tab|\S+ in a terminal)\.$|^by (?!you)/);
  }
  if (code !== 0) expect(`${said}${warned}`).toMatch(/already/i);
  else expect(by).toMatch(/^cli/);
});

/** Presses a button at a moment that all tabs share. */
const pressAt = (page: Page, name: string, at: number): Promise<void> =>
  page.evaluate(
    async ([word, time]) => {
      await new Promise((resolve) => setTimeout(resolve, time - Date.now()));
      [...document.querySelectorAll("button")].find(({ textContent }) => textContent.startsWith(word))?.click();
    },
    [name, at] as const,
  );

/** How a tab tells the end. One that heard of the decision before it could press has no button left, and says whose it was. */
async function outcomeOn(page: Page, word: string): Promise<{ isMine: boolean; told: string }> {
  const decided = page.getByText(/^by (you|another tab|\S+ in a terminal), \d\d:\d\d/).first();
  await decided.waitFor();
  await page.getByText(word, { exact: true }).first().waitFor();
  const [already] = await page.getByText(/^Already /).allInnerTexts();
  const told = already ?? (await decided.textContent()) ?? "";
  return { isMine: told.startsWith("by you"), told };
}

it("answers a run that runs in somebody's terminal, and the note of a refusal reaches its agent", async () => {
  const { approval, child } = await waitingInTerminal(place, "In a terminal", run("rm -rf dist"));
  const exited = once(child, "exit");
  const { page } = await place.open(`/approvals/${approval.approval_id}`);
  await press(page, /^Deny with a note/, () => page.getByRole("textbox").isVisible());
  await page.getByRole("textbox").fill("Use the trash.");
  await page.getByRole("button", { name: /^Deny and send/ }).click();
  await expect
    .poll(() => read(approval), SOON)
    .toMatchObject({ status: "rejected", by: "http", comment: "Use the trash." });
  await page.getByRole("link", { name: /rm -rf dist you, / }).waitFor();
  await exited;
  const { view } = await viewOf(approval.run_id);
  expect(JSON.stringify(view.tools)).toContain("Use the trash.");
});

async function viewOf(runId: string) {
  const { createRunFold } = await import("@spoor/protocol");
  const fold = createRunFold();
  for await (const { data } of place.client.events.list(runId)) for (const envelope of data) fold.fold(envelope);
  return { view: fold.snapshot() };
}

it("says that nobody answered in time, and takes no answer after that", async () => {
  // The page is there before the question, so that the little time it leaves is seen.
  const { page } = await place.open("/approvals");
  await page.getByText("Nothing waits for you").waitFor();
  const left = page
    .getByText(/^0:0\d left$/)
    .first()
    .waitFor();
  const approval = await waitingRun(place, "Too late", run("touch p2"), { approval_timeout_ms: 9_000 });
  await left;
  await page.getByText(/^no answer in time, \d\d:\d\d:\d\d/).waitFor();
  expect(await approveButton(page).count()).toBe(0);
  await page.keyboard.press("a");
  await page.getByRole("link", { name: /touch p2 no answer in time/ }).waitFor();
  expect(await read(approval)).toMatchObject({ status: "timed_out" });
});

it("shows all of a hostile action of 100 kB as text, with its hidden characters as codes", async () => {
  const fake = `<button class="btn primary">Approve</button> \u202egnp.exe\u202c \u001b[2J\u001b[8mhidden\u0007 zero\u200bwidth`;
  const command = `echo ok # ${fake}\n${"a line that hides what comes later\n".repeat(3_000)}rm -rf /the/end`;
  const approval = await waitingRun(place, `Hostile ${fake}`, run(command));
  expect(approval.truncated).toBe(true);
  const { page } = await place.open(`/approvals/${approval.approval_id}`);
  // It was cut in the request, so it is read whole before it can be approved.
  await approveButton(page).and(page.locator(":enabled")).waitFor();
  const shown = (await page.locator(".cmdline code").textContent()) ?? "";
  expect(shown.length).toBeGreaterThan(100_000);
  expect(shown.endsWith("rm -rf /the/end")).toBe(true);
  for (const code of ["\\u202e", "\\u001b[2J", "\\u0007", "\\u200b"]) expect(shown).toContain(code);
  expect(shown).toContain('<button class="btn primary">Approve</button>');
  // The only button that says Approve is ours, and it stands below the action.
  expect(await approveButton(page).count()).toBe(1);
  expect(await page.locator(".cmdline button").count()).toBe(0);
  // A key counts only once the end of the action and the buttons have been on screen.
  await page.waitForFunction(() => performance.now() > 2_000);
  await page.keyboard.press("a");
  expect(await read(approval)).toMatchObject({ status: "pending" });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await approveButton(page).scrollIntoViewIfNeeded();
  await expect
    .poll(async () => {
      await page.keyboard.press("a");
      return (await read(approval)).status;
    }, SOON)
    .toBe("approved");
});

it("is worked by keys alone, and a key counts only for what has been on screen for half a second", async () => {
  const one = await waitingRun(place, "First", run("touch one"), { approval_timeout_ms: 100_000 });
  const two = await waitingRun(place, "Second", run("touch two"), { approval_timeout_ms: 200_000 });
  const three = await waitingRun(place, "Third", [
    { say: "The test fails." },
    { ask: { tool: "Edit", input: { file_path: "src/calc.js", old_string: "a - b", new_string: "a + b" } } },
  ]);
  const { page } = await place.open("/approvals");
  await page.getByText("touch one").nth(1).waitFor();
  // Keys that are pressed at the moment the next question appears were meant for the one before.
  await page.evaluate(() => {
    const pressed = (key: string, repeat = false) =>
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key, repeat, bubbles: true }));
    let shown = "";
    new MutationObserver(() => {
      const now = document.querySelector(".cmdline code")?.textContent ?? "";
      if (now === shown) return;
      shown = now;
      for (const key of ["a", "d"]) pressed(key);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await expect
    .poll(async () => {
      await page.keyboard.press("a");
      return (await read(one)).status;
    }, SOON)
    .toBe("approved");
  // The next one is selected by itself; a key that is held down is not an answer to it.
  await page.waitForURL(new RegExp(two.approval_id));
  expect(await read(two)).toMatchObject({ status: "pending" });
  await page.waitForFunction((at) => performance.now() > at, (await page.evaluate(() => performance.now())) + 600);
  await page.evaluate(() =>
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", repeat: true, bubbles: true })),
  );
  expect(await read(two)).toMatchObject({ status: "pending" });
  await expect
    .poll(async () => {
      await page.keyboard.press("d");
      return (await read(two)).status;
    }, SOON)
    .toBe("rejected");
  await page.waitForURL(new RegExp(three.approval_id));
  await page.getByText("The test fails.").waitFor();
  await page.getByText("a + b").first().waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press("Shift+D");
      return page.getByRole("textbox").isVisible();
    }, SOON)
    .toBe(true);
  await page.keyboard.type("No.");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => read(three), SOON).toMatchObject({ status: "rejected", comment: "No." });
  await page.getByText("Nothing waits for you").waitFor();
});

it("has no findings of axe, and on a phone each request is a card with buttons of 48 px", async () => {
  const approval = await waitingRun(place, "On a phone", run("rm notes.txt"));
  for (const theme of ["light", "dark"] as const) {
    const { page } = await place.open("/approvals", { theme });
    await approveButton(page).waitFor();
    expect(await axe(page)).toEqual([]);
  }
  const { page } = await place.open("/approvals", { size: "phone" });
  await approveButton(page).waitFor();
  expect((await approveButton(page).boundingBox())?.height).toBeGreaterThanOrEqual(48);
  expect(await axe(page)).toEqual([]);
  await press(page, /^Approve/, isDecided(approval));
  await page.getByText("Nothing waits for you").waitFor();
});
