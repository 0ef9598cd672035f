import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { openPlace, type Place } from "./harness.ts";
import { askingRun } from "./runs/asking.ts";
import { demoRun } from "./runs/demo.ts";
import { settled } from "./settled.ts";

let place: Place;
let demo: string;

beforeAll(async () => {
  place = await openPlace();
  demo = await demoRun(place);
});

/** Notes everything that the live regions say from now on, since a newer sentence takes the place of an older one. */
async function hear(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    for (const region of document.querySelectorAll("[data-region]"))
      new MutationObserver(() => heard.push(`${region.getAttribute("aria-live")} ${region.textContent}`)).observe(
        region,
        { subtree: true, childList: true, characterData: true },
      );
  });
  return () => page.evaluate(() => (window as unknown as { heard: string[] }).heard);
}

it("what needs a person is read aloud at once, what ends when there is a pause, and neither takes the focus", async () => {
  const { page } = await place.open("/");
  await settled(page);
  expect(await page.locator("[data-region]").count()).toBe(2);
  const heard = await hear(page);
  await page.keyboard.press("/");
  const focus = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
  await expect.poll(focus).toBe("Filter runs");
  const { approval_id } = await askingRun(place, "Clean up", [
    { say: "I will clean up." },
    { ask: "Bash", input: { command: "rm notes.txt" } },
  ]);
  await expect.poll(async () => (await heard()).join("\n")).toMatch(/^assertive Needs you: .*rm notes\.txt/m);
  expect(await focus()).toBe("Filter runs");
  await place.client.approvals.resolve(approval_id, { decision: "approve" });
  await expect.poll(async () => (await heard()).join("\n"), { timeout: 60_000 }).toMatch(/^polite \w+: .*Clean up/m);
  expect(await focus()).toBe("Filter runs");
});

it("an open run says that it is done, and none of the text that streams in", async () => {
  const { run_id, approval_id } = await askingRun(place, "Tidy up", [
    { ask: "Bash", input: { command: "rm notes.txt" } },
    { say: "All is tidy now." },
  ]);
  const { page } = await place.open(`/runs/${run_id}`);
  await page.getByText("rm notes.txt").first().waitFor();
  const heard = await hear(page);
  await place.client.approvals.resolve(approval_id, { decision: "approve" });
  // The list of runs tells it, too. Of sentences within three seconds, the last one is read.
  await expect
    .poll(async () => (await heard()).join("\n"), { timeout: 60_000 })
    .toMatch(/^polite (The run is done\.|Done: Tidy up)$/m);
  expect((await heard()).join("\n")).not.toContain("All is tidy");
});

it("the views of a run keep the focus on their link, and the rows of a conversation say where they are", async () => {
  const { page } = await place.open(`/runs/${demo}`);
  await settled(page);
  const views = page.getByRole("navigation", { name: /view/i });
  expect(await views.locator("[aria-current=page]").textContent()).toContain("Conversation");
  await views.getByRole("link", { name: /^Timeline/ }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/timeline");
  await settled(page);
  await expect.poll(() => views.locator("[aria-current=page]:focus").textContent()).toContain("Timeline");
  await page.goBack();
  await settled(page);
  const rows = page.locator("ol[aria-label=Conversation] > li");
  const places = await rows.evaluateAll((items) =>
    items.map((item) => [item.getAttribute("aria-posinset"), item.getAttribute("aria-setsize")].map(Number)),
  );
  for (const [at = 0, of = 0] of places) expect(at > 0 && at <= of).toBe(true);
  expect(places.map(([at]) => at)).toEqual(places.map(([at]) => at).toSorted((a = 0, b = 0) => a - b));
});

it("Tab goes through the bar, the head of the run, its views, the content and the panel in this order", async () => {
  const { page } = await place.open(`/runs/${demo}`);
  await settled(page);
  const parts: string[] = [];
  for (let step = 0; step < 150; step += 1) {
    await page.keyboard.press("Tab");
    const part = await page.evaluate(partOfFocus);
    if (part === "") break;
    if (part !== parts.at(-1)) parts.push(part);
  }
  expect(parts).toEqual(["skip", "bar", "head", "views", "content", "panel", "dock"]);
});

/** Runs in the browser: the part of the page that has the focus; "" when Tab has left the page. */
function partOfFocus(): string {
  const element = document.activeElement;
  if (!element || element === document.body) return "";
  if (/skip to content/i.test(element.textContent)) return "skip";
  const parts: readonly [selector: string, part: string][] = [
    ["nav[aria-label*=iew]", "views"],
    ["aside", "panel"],
    ["ol[aria-label=Conversation]", "content"],
    ["[data-reply]", "dock"],
    ["header.bar", "bar"],
    ["header", "head"],
  ];
  const found = parts.find(([selector]) => element.closest(selector));
  return found?.[1] ?? `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent}`;
}
