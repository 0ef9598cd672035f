import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { UsageAnswer } from "@spoor/protocol/client";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { axe, openPlace, type Place } from "./harness.ts";

const SOON = { timeout: 60_000 };

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});

it("shows a whole run to somebody who presses one button on an empty server", async () => {
  const { page } = await place.open(await place.loginLink(), { loggedIn: false });
  const grown = await countGrowth(page);
  await page.getByRole("button", { name: "Start the demo run" }).click();
  await page.waitForURL(/\/runs\/run_/);
  const run_id = new URL(page.url()).pathname.split("/")[2] ?? "";

  // The text streams: the demo says several sentences, and some of them are seen before they are complete.
  await expect.poll(grown, { timeout: 60_000 }).toBeGreaterThan(3);
  await page.getByText("not ok: it said").first().waitFor();

  // A question appears, and the page answers it.
  await page.getByText("May it make this change?").waitFor();
  const { workspace_path: workspace = "" } = await place.client.runs.get(run_id);
  const greet = path.join(workspace, "greet.sh");
  expect(readFileSync(greet, "utf8")).not.toContain("world");
  await expect
    .poll(async () => {
      await page
        .getByRole("button", { name: /^Approve/ })
        .click({ timeout: 1_000 })
        .catch(() => {});
      return (await place.client.approvals.list({ status: "pending" })).data.length;
    }, SOON)
    .toBe(0);
  await page
    .getByText(/by you, \d\d:\d\d/)
    .first()
    .waitFor();
  await page.getByText("ok: Hello, world!").first().waitFor();
  await page.getByText("Done", { exact: true }).first().waitFor();
  expect(readFileSync(greet, "utf8")).toContain("world");

  // The cost is what a small model would take, and says that it is estimated.
  const { cost_micros_usd = 0 } = await place.client.runs.get(run_id);
  expect(cost_micros_usd).toBeGreaterThan(0);
  await page
    .getByText(`$${(cost_micros_usd / 1e6).toFixed(4)}`)
    .first()
    .waitFor();
  await page.getByText("estimated").first().waitFor();

  // What it changed is reverted on disk.
  await page.getByRole("link", { name: /^Changes/ }).click();
  await page.getByRole("button", { name: /^Revert all/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Revert/ })
    .click();
  await expect.poll(() => existsSync(greet), SOON).toBe(false);
});

/** Counts from now on how often a paragraph was seen that goes on where an earlier one ended. */
async function countGrowth(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const seen = new Set<string>();
    const counted = Object.assign(window, { grown: 0 });
    new MutationObserver(() => {
      const last = [...document.querySelectorAll("main p")].at(-1)?.textContent ?? "";
      if (last.length < 8 || seen.has(last)) return;
      if ([...seen].some((text) => last.startsWith(text))) counted.grown += 1;
      seen.add(last);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => (window as unknown as { grown: number }).grown);
}

it("shows the same usage as spoor cost, by pointer, by keys and in a table", async () => {
  const child = place.spoor(["cost", "--json", "--data", place.data]);
  const { total } = JSON.parse(await text(child.stdout)) as UsageAnswer;
  const { page } = await place.open("/usage?days=7");
  const cost = `$${(total.cost_micros_usd / 1e6).toFixed(4)}`;
  await page.getByRole("definition").getByText(cost).waitFor();
  await page.getByText("100 % estimated").waitFor();
  expect(total).toMatchObject({ runs: 2, runs_without_cost: 0, cost_source: "estimated" });
  const foot = await page.locator("tfoot td").allInnerTexts();
  expect([foot[2], foot.at(-1)]).toEqual([String(total.runs), cost]);
  expect(total.input_tokens).toBeGreaterThan(1_000);
  // Today is the last of seven days; the arrow keys choose it and tell its figures.
  const bars = page.getByRole("slider");
  await bars.focus();
  await page.keyboard.press("ArrowLeft");
  expect(await bars.getAttribute("aria-valuetext")).toContain(`${cost}. loop ${cost}`);
  await page.keyboard.press("ArrowLeft");
  expect(await bars.getAttribute("aria-valuetext")).toContain("no cost is known");
  await page.getByRole("button", { name: "Source" }).click();
  await page.waitForURL(/by=source/);
  await page.getByRole("button", { name: "90 days" }).click();
  await page.waitForURL(/days=90/);
  await bars.waitFor();
  await page.getByText("The figures by day").click();
  await page.getByRole("row").filter({ hasText: cost }).first().waitFor();
  expect(await axe(page)).toEqual([]);
  const phone = await place.open("/usage", { size: "phone", theme: "dark" });
  await phone.page.getByText("Cost by day").waitFor();
  expect(await phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  expect(await axe(phone.page)).toEqual([]);
});

it("says so when nothing was used, and leads on", async () => {
  const { page } = await place.open("/usage?days=7&by=model", {
    // The server's runs are of today; the reader's clock is a year ahead.
    prepare: (context) => context.clock.setFixedTime(Date.now() + 365 * 86_400_000),
  });
  await page.getByText("No runs in the last 7 days").waitFor();
  await page.getByRole("link", { name: "Show 90 days" }).click();
  await page.getByText("No runs in the last 90 days").waitFor();
});
