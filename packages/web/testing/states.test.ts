import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { axe, openPlace, type Place } from "./harness.ts";
import { noteOfPress } from "./pressed.ts";
import { type StateRuns, stateRuns } from "./runs/states.ts";
import { settled, sidewaysScroll, visit } from "./settled.ts";

let place: Place;
let runs: StateRuns;

beforeAll(async () => {
  place = await openPlace();
  runs = await stateRuns(place.data);
});

const head = (page: Page) => page.locator("header[data-above-trail]");
const rowOf = (page: Page, run: string) => page.locator(`[data-run="${run}"]`);

describe("a run says its state by a word and an icon", () => {
  /** The word, what stands below it in the list, and what the run does or did. */
  const states: readonly [run: keyof StateRuns, word: string, below: RegExp, line: string][] = [
    ["queued", "Queued", /now/, "Is queued"],
    ["working", "Working", /now|quiet for/, "Running npm test"],
    ["question", "Question", /no deadline/, "“Which colour?”"],
    ["paused", "Paused", /no deadline/, "Is paused"],
    ["stalled", "Stalled", /silent 4\d min/, "Last heard: npm install started"],
    ["done", "Done", /ago/, "“It was the sign in add().”"],
    ["cancelled", "Cancelled", /ago/, "Cancelled in a terminal."],
    ["failed", "Failed", /ago/, "API Error: 529 Overloaded, after 3 tries."],
  ];

  it("the same in the list, in the head of the run and in the title of the tab, and without colours", async () => {
    const { page } = await place.open("/");
    await page.emulateMedia({ forcedColors: "active" });
    await settled(page);
    const seen = async (run: string) => {
      const row = rowOf(page, run);
      const text = ((await row.textContent()) ?? "").replaceAll(/\s+/g, " ");
      return { text, icons: await row.locator("svg").count() };
    };
    for (const [run, word, below, line] of states) {
      const { text, icons } = await seen(runs[run]);
      expect([run, text]).toEqual([run, expect.stringContaining(word)]);
      expect([run, text]).toEqual([run, expect.stringMatching(below)]);
      expect([run, text]).toEqual([run, expect.stringContaining(line)]);
      expect([run, icons > 0]).toEqual([run, true]);
    }
    for (const [run, word] of states) {
      await visit(page, `/runs/${runs[run]}`);
      await head(page).getByText(word, { exact: true }).waitFor();
      await expect.poll(() => page.title()).toContain(`${word} · `);
    }
  });

  it("with the evidence: how long it is silent, how it ended, who ended it, and what to do about it", async () => {
    const { page } = await place.open(`/runs/${runs.stalled}`);
    await head(page)
      .getByText(/Silent for 4\d min\. Its process is alive\. Last: npm install started\./)
      .waitFor();
    const silent = head(page).getByRole("status");
    await silent.getByRole("button", { name: "Interrupt" }).waitFor();
    await visit(page, `/runs/${runs.failed}`);
    await page.getByText("Failed: rate limited.").waitFor();
    await page.getByText("agent.rate_limited").waitFor();
    await page.locator("#main").getByRole("button", { name: "Retry" }).waitFor();
    await visit(page, `/runs/${runs.cancelled}`);
    await page.getByText("Cancelled in a terminal.").waitFor();
  });
});

describe("what a record lacks", () => {
  it.for(["laptop", "phone"] as const)("stands in its place, on a %s", async (size) => {
    const { page } = await place.open(`/runs/${runs.broken}`, { size });
    const trail = page.getByRole("list", { name: "Conversation" });
    await trail.getByText(/^Events 0 to 3 were pruned on \d+ \w+$/).waitFor();
    await trail.getByText(/^Events \d+ to \d+ are damaged and cannot be shown$/).waitFor();
    await trail.getByText("The process of the run was not heard of for too long. It is taken up again.").waitFor();
    const card = trail.getByRole("listitem").filter({ hasText: "acme.deployed" });
    await card.getByText(/#\d+ · \d\d:\d\d:\d\d/).waitFor();
    await card.getByText('"note": "To production."').waitFor();
    expect([...(await axe(page)), ...(await sidewaysScroll(page))]).toEqual([]);
  });

  it("is said in the list and on the run if its row is damaged", async () => {
    const { page } = await place.open("/");
    await rowOf(page, runs.damaged).getByText("damaged", { exact: true }).waitFor();
    await visit(page, `/runs/${runs.damaged}`);
    await page
      .getByText("This record is damaged. Its list entry does not match; the events below are what counts.")
      .waitFor();
    const copies = page.getByRole("button", { name: "Copy the command to verify" });
    expect(await copies.getAttribute("title")).toBe(`Copy the command: npx spoor verify ${runs.damaged}`);
  });
});

describe("while a run is read or the connection is broken", () => {
  it("its head is there at once, and three lines stand for the rest", async () => {
    const { page } = await place.open("/");
    await page.routeWebSocket(/v1\/ws/, () => {});
    await page.goto(`/runs/${runs.done}`);
    await page.getByRole("heading", { name: "Find the wrong sign" }).waitFor();
    await head(page).getByText("Done", { exact: true }).waitFor();
    expect(await page.locator('[aria-busy="true"] > i').count()).toBe(3);
    await page.getByText("Connecting").first().waitFor();
  });

  it("the bar counts down after a second, and a banner says how far the run is shown after five", async () => {
    const { page } = await place.open("/", { expected: [/WebSocket/] });
    const open = new Set<{ close(options?: { code: number }): Promise<void> }>();
    let isBroken = false;
    const isPressed = await noteOfPress(page, "Now");
    await page.routeWebSocket(/v1\/ws/, async (socket) => {
      if (isBroken && !(await isPressed())) return void socket.close({ code: 1012 });
      socket.connectToServer();
      open.add(socket);
    });
    await page.goto(`/runs/${runs.done}`);
    await page.getByText("It was the sign in add().").first().waitFor();
    await page.getByText("Live").first().waitFor();
    isBroken = true;
    const since = Date.now();
    for (const socket of open) await socket.close({ code: 1012 });
    await page
      .getByText(/^Reconnecting/)
      .first()
      .waitFor();
    expect(Date.now() - since).toBeGreaterThan(900);
    const banner = page.locator('[data-notice="reconnecting"]');
    await banner.getByText(/Reconnecting( in \d+ s)?\. Shown up to event \d+; nothing is lost\./).waitFor();
    expect(Date.now() - since).toBeGreaterThan(4_900);
    expect(await axe(page, "[data-notice]")).toEqual([]);
    await banner.getByRole("button", { name: "Now" }).click();
    await page.locator('[data-notice="back"]').getByText("Back.").waitFor();
    await page.getByText("Live").first().waitFor();
  });
});

it("what is chosen is marked in the reader's own colours, which take away all grounds", async () => {
  const { page } = await place.open(`/runs/${runs.done}`);
  await page.emulateMedia({ forcedColors: "active" });
  await settled(page);
  const marks = await page.evaluate(() => {
    const ground = getComputedStyle(document.body).backgroundColor;
    const current = [...document.querySelectorAll("nav [aria-current]")].filter((link) => link.checkVisibility());
    return current.map((link) => getComputedStyle(link, "::after").backgroundColor !== ground);
  });
  expect(marks).toEqual([true, true]);
  await visit(page, "/");
  const all = page.getByRole("button", { name: "All", exact: true });
  expect(await all.evaluate((button) => getComputedStyle(button).outlineStyle)).toBe("solid");
});

it("what is empty says so in one sentence, and offers one thing to do", async () => {
  const { page } = await place.open("/", { expected: [/status of 404/] });
  const sentences: readonly [target: string, sentence: string, way: RegExp][] = [
    [`/runs/${runs.done}/changes`, "This run changed no files.", /Read the conversation/],
    ["/compare", "Choose two to four runs", /Choose a run/],
    ["/runs/run_01AAAAAAAAAAAAAAAAAAAAAAAA", "It may have been pruned.", /Look at all runs/],
    ["/nowhere", "There is no such page.", /Look at all runs/],
  ];
  for (const [target, sentence, way] of sentences) {
    await visit(page, target);
    await page.getByText(sentence).first().waitFor();
    await page.locator("#main").locator("a, button").filter({ hasText: way }).first().waitFor();
  }
});
