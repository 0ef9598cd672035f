import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { axe, openPlace, type Place } from "./harness.ts";
import { bigRun } from "./runs/big.ts";
import { waitingDemo } from "./runs/demo.ts";
import { minutesRun } from "./runs/minutes.ts";
import { settled } from "./settled.ts";

/** A busy machine takes its time. */
const soon = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 60_000 });

let place: Place;
let run: string;
beforeAll(async () => {
  place = await openPlace();
  run = await minutesRun(place.data);
});

const timeline = (page: Page) => page.getByRole("application");
const rowsOf = (page: Page) => page.getByRole("list", { name: "Events" }).getByRole("button");
const banner = (page: Page) => page.getByRole("region", { name: "Replay" });

/** The colours of the bars along a line of the picture, from left to right, without repeats. */
const coloursAt = (page: Page, y: number): Promise<string[]> =>
  timeline(page)
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement, top) => {
      const ratio = canvas.width / canvas.clientWidth;
      const row = canvas.getContext("2d")?.getImageData(0, Math.round(top * ratio), canvas.width, 1).data ?? [];
      const seen = new Set<string>();
      for (let at = 0; at < row.length; at += 4) {
        if (row[at + 3] === 255) seen.add([row[at], row[at + 1], row[at + 2]].join());
      }
      return [...seen];
    }, y);

describe("the timeline", () => {
  it("draws what took time, in both themes and on a phone, and says it in words", async () => {
    const { page } = await place.open(`/runs/${run}/timeline`, { expected: [/willReadFrequently/] });
    await timeline(page).waitFor();
    const words = await page.getByRole("img", { name: /^Of 6:33/ }).getAttribute("aria-label");
    expect(words).toBe("Of 6:33: model 2:28, tools 2:29, waiting 1:10, retrying 0:13, idle 0:13");
    // The model and its thoughts, then a retry.
    await expect
      .poll(() => coloursAt(page, 60))
      .toEqual(expect.arrayContaining(["74,120,216", "157,182,236", "207,59,49"]));
    await page.emulateMedia({ colorScheme: "dark" });
    await soon(() => coloursAt(page, 60)).toEqual(expect.arrayContaining(["109,151,245", "240,118,107"]));
    const longest = page.getByRole("heading", { name: "What took longest" }).locator("..").getByRole("listitem");
    expect(await longest.allInnerTexts()).toEqual([
      "Waited for an answer rm notes.txt\n1:10",
      "Model the final answer\n0:34",
      "Run for i in 1 2 3 4 5 6; do echo tick $i; sleep 1; done\n0:26",
      "Explore subagent: check the repo\n0:24",
      "Model turn 3\n0:21",
    ]);
    expect(await axe(page)).toEqual([]);
    const phone = await place.open(`/runs/${run}/timeline`, { size: "phone", theme: "dark" });
    await timeline(phone.page).waitFor();
    expect(await axe(phone.page)).toEqual([]);
    const sideways = await phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(sideways).toBeLessThanOrEqual(0);
  });

  it("is walked, zoomed and opened with the keyboard alone", async () => {
    const { page } = await place.open(`/runs/${run}/timeline`);
    await timeline(page).waitFor();
    const selected = page.locator("#main").getByRole("heading", { level: 3 });
    await page.keyboard.press("ArrowRight");
    await soon(() => selected.textContent()).toContain("Turn 9");
    for (const key of ["ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft"]) await page.keyboard.press(key);
    await soon(() => selected.textContent()).toContain("Turn 5");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    await soon(() => selected.textContent()).toContain("Waited for an answer");
    // The picture has the focus, and names the row of its table that is selected.
    const row = await timeline(page).getAttribute("aria-activedescendant");
    expect(await page.locator(`#${row}`).textContent()).toMatch(/waitingWaited for an answer rm notes.txt2:241:10/);
    expect(await page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("application");
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await page.waitForURL(/from=\d+&to=\d+/);
    await page.keyboard.press("0");
    await page.waitForURL((url) => !url.search.includes("from="));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\/[^/]+#e84$/);
  });

  it("zooms around the pointer, pans by dragging, fits a turn, and keeps the range in the address", async () => {
    const { page } = await place.open(`/runs/${run}/timeline`);
    await settled(page);
    const box = (await timeline(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const x = box.x + box.width / 2;
    const rangeOf = () => {
      const query = new URL(page.url()).searchParams;
      return [Number(query.get("from")), Number(query.get("to"))] as [number, number];
    };
    await page.mouse.move(x, box.y + 60);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    await page.waitForURL(/from=\d+/);
    const [from, to] = rangeOf();
    // What was in the middle is still there.
    expect((from + to) / 2).toBeGreaterThan(190_000);
    expect((from + to) / 2).toBeLessThan(203_000);
    await page.mouse.down();
    await page.mouse.move(x + 200, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await soon(() => rangeOf()[0]).toBeLessThan(from);
    await page.mouse.dblclick(box.x + box.width - 10, box.y + 60);
    await soon(() => rangeOf()[1] - rangeOf()[0]).toBeLessThan(120_000);
    const fitted = page.url();
    await page.goto(fitted);
    await timeline(page).waitFor();
    expect(page.url()).toBe(fitted);
  });

  it("zooms around two fingers that move apart, and back when they move together", async () => {
    const { page, context } = await place.open(`/runs/${run}/timeline?from=100000&to=300000`, { size: "phone" });
    await settled(page);
    await timeline(page).scrollIntoViewIfNeeded();
    const box = (await timeline(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const middle = box.x + box.width / 2;
    const touch = await context.newCDPSession(page);
    const fingers = (apart: number) =>
      [-1, 1].map((side, id) => ({ x: middle + (side * apart) / 2, y: box.y + 60, id }));
    const pinch = async (from: number, to: number) => {
      await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(from) });
      for (let step = 1; step <= 5; step += 1) {
        const touchPoints = fingers(from + ((to - from) * step) / 5);
        await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints });
      }
      await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    };
    await pinch(60, 180);
    const range = () => ["from", "to"].map((name) => Number(new URL(page.url()).searchParams.get(name)));
    // Three times as far apart is a third of the time, and its middle is still there.
    await soon(() => range().map((time) => Math.round(time / 10_000))).toEqual([17, 23]);
    // The page itself is not zoomed.
    expect(await page.evaluate(() => visualViewport?.scale)).toBe(1);
    await pinch(180, 60);
    await soon(() => range().map((time) => Math.round(time / 10_000))).toEqual([10, 30]);
  });

  it("does not go on panning when the button was released outside of it", async () => {
    const { page } = await place.open(`/runs/${run}/timeline`);
    await settled(page);
    const box = (await timeline(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.keyboard.press("+");
    await page.waitForURL(/from=\d+/);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y - 150);
    await page.mouse.up();
    const before = page.url();
    await page.mouse.move(box.x + 500, box.y + 60, { steps: 5 });
    await page.waitForTimeout(300);
    expect(page.url()).toBe(before);
  });

  it("shows a demo that goes on up to now with the wait that is open, and as it was before", async () => {
    const { run_id } = await waitingDemo(place);
    const { page } = await place.open(`/runs/${run_id}/timeline`);
    await timeline(page).waitFor();
    await page.getByRole("button", { name: /Waits for an answer/ }).waitFor();
    const whole = () => page.getByRole("group", { name: "Replay" }).textContent();
    const before = await whole();
    await soon(whole).not.toBe(before);
    await page.goto(`/runs/${run_id}/timeline?at=0`);
    await banner(page).getByText("As it was at 0:00").waitFor();
    await page.getByRole("button", { name: /Waits for an answer/ }).waitFor();
    await banner(page).getByText("Nothing can be answered or changed here.").waitFor();
    expect(await axe(page)).toEqual([]);
  });
});

describe("a run of 100,000 events", () => {
  let big: string;
  beforeAll(async () => {
    big = await bigRun(place.data);
  });

  it("is drawn at once, and zoomed without a pause", async () => {
    const { page } = await place.open(`/runs/${big}/timeline`);
    await timeline(page).waitFor();
    const rows = page.locator('table[aria-label="Spans of the run"]');
    await soon(() => rows.getAttribute("aria-rowcount")).toMatch(/^\d{4,}$/);
    await expect.poll(async () => Number(await rows.getAttribute("aria-rowcount"))).toBeGreaterThan(9_000);
    const box = (await timeline(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + box.width / 2, box.y + 100);
    // The machine of a test is slow and busy, so one of a few attempts has to do. A page that recomputes everything takes
    // far longer each time.
    const zoom = async (by: number) => {
      const slowest = page.evaluate(slowestFrame);
      await page.keyboard.down("Control");
      for (let turn = 0; turn < 12; turn += 1) await page.mouse.wheel(0, by);
      await page.keyboard.up("Control");
      return slowest;
    };
    const attempts = [-80, 80, -80, 80, -80].values();
    await expect.poll(() => zoom(attempts.next().value ?? -80), { timeout: 60_000 }).toBeLessThan(1_500);
    await page.waitForURL(/from=\d+/);
  });

  it("reads its raw events in pages, and keeps at most 2,000 of them", async () => {
    const { page } = await place.open(`/runs/${big}/events`);
    await soon(() => rowsOf(page).last().textContent()).toContain("run.finished");
    expect(await rowsOf(page).count()).toBeLessThan(80);
    const numberOf = async () => Number(await rowsOf(page).nth(14).getAttribute("data-event"));
    const before = await numberOf();
    const list = page.getByRole("list", { name: "Events" });
    for (let up = 0; up < 12; up += 1) {
      await list.evaluate((element) => (element.parentElement as HTMLElement).scrollBy(0, -6_000));
      await expect
        .poll(() => list.evaluate((element) => (element.parentElement as HTMLElement).scrollTop))
        .toBeGreaterThan(0);
    }
    await soon(numberOf).toBeLessThan(before - 1_500);
    expect(await list.evaluate((element) => element.clientHeight / 30)).toBeLessThanOrEqual(2_000);
    await page.getByRole("button", { name: "To the end" }).click();
    await soon(() => rowsOf(page).last().textContent()).toContain("run.finished");
  });
});

/** Runs in the browser: the longest of the next sixty frames, in milliseconds. */
function slowestFrame(): Promise<number> {
  return new Promise((resolve) => {
    let [last, most, count] = [performance.now(), 0, 0];
    const frame = () => {
      const now = performance.now();
      most = Math.max(most, now - last);
      [last, count] = [now, count + 1];
      if (count < 60) requestAnimationFrame(frame);
      else resolve(most);
    };
    requestAnimationFrame(frame);
  });
}

describe("replay", () => {
  it("shows every view of the run as it was, locks all actions, and goes back to now", async () => {
    const { page } = await place.open(`/runs/${run}/timeline?at=176000`);
    await banner(page).getByText("As it was at 2:56").waitFor();
    await page.getByText("Needs you").first().waitFor();
    const acts = page.getByRole("button", { name: /^(Continue|Retry|Fork|Interrupt|Approve|Deny)/ });
    const offered = async () => {
      const all = await acts.all();
      const free = await Promise.all(
        all.map(
          async (button) => (await button.isEnabled()) && (await button.getAttribute("aria-disabled")) !== "true",
        ),
      );
      return free.filter(Boolean).length;
    };
    expect(await offered()).toBe(0);
    await banner(page).getByRole("link", { name: "Conversation at this moment" }).click();
    await page.waitForURL(/\/runs\/[^/]+\?at=176000$/);
    await page.getByText("rm notes.txt").first().waitFor();
    expect(await page.getByText("Done. add() adds").count()).toBe(0);
    expect(await offered()).toBe(0);
    await page.keyboard.press("a");
    await page
      .getByRole("link", { name: /^Timeline/ })
      .first()
      .click();
    await page.waitForURL(/timeline\?at=176000$/);
    await banner(page).getByRole("button", { name: "Back to now" }).click();
    await page.getByText("Done", { exact: true }).first().waitFor();
    await soon(() => new URL(page.url()).search).toBe("");
    expect(await banner(page).count()).toBe(0);
    expect(
      (await place.client.approvals.list({ status: "pending" })).data.filter(({ run_id }) => run_id === run),
    ).toEqual([]);
  });

  it("says the time and the state of that moment, and not how long ago it was", async () => {
    const { page } = await place.open(`/runs/${run}?at=120000`);
    await banner(page).getByText("As it was at 2:00").waitFor();
    const head = page.locator("header[data-above-trail]");
    await head.getByText("Working", { exact: true }).waitFor();
    await head.getByText("2:00", { exact: true }).waitFor();
    expect(await page.getByText(/Silent for|quiet for/).count()).toBe(0);
    await page.locator("#main").getByText("running", { exact: true }).first().waitFor();
  });

  it("plays with Space, cuts the wait, and ends at the present", async () => {
    const { page } = await place.open(`/runs/${run}/timeline`);
    await timeline(page).waitFor();
    await timeline(page).focus();
    await page.keyboard.press("Space");
    await banner(page).waitFor();
    await page.getByRole("button", { name: "Pause the replay" }).waitFor();
    await page.keyboard.press("Space");
    await page.waitForURL(/at=\d+/);
    const paused = Number(new URL(page.url()).searchParams.get("at"));
    expect(paused).toBeGreaterThan(0);
    await page.keyboard.press("]");
    await soon(() => Number(new URL(page.url()).searchParams.get("at"))).toBeGreaterThan(paused);
    await page.getByRole("button", { name: "60×" }).click();
    await timeline(page).focus();
    await page.keyboard.press("Space");
    // 393 s at 60× take 7 s, of which the wait is cut to one.
    await banner(page).waitFor({ state: "detached", timeout: 40_000 });
    await soon(() => new URL(page.url()).search).toBe("");
  });
});
