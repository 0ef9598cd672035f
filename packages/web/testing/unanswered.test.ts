import type { Page, Route } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { openPlace, type Place } from "./harness.ts";
import { commandedRun } from "./runs/commanded.ts";
import { demoRun } from "./runs/demo.ts";
import { waitingRun } from "./runs/waiting.ts";

let place: Place;
let demo: string;
beforeAll(async () => {
  place = await openPlace();
  demo = await demoRun(place);
});

/** What a browser logs by itself when a request fails. */
const breaks = { expected: [/Failed to load resource|net::ERR/] };

/** No request to these addresses gets through until the returned function is called. */
async function cut(page: Page, address: RegExp): Promise<() => Promise<void>> {
  await page.route(address, (route) => route.abort("connectionreset"));
  return () => page.unroute(address);
}

/** The server gets these requests and does what they ask, but nobody hears its answers. */
const deafen = (page: Page, address: RegExp): Promise<unknown> =>
  page.route(address, async (route: Route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });

it("keeps a follow-up that did not get there, also if its writer left the screen or reloaded the page", async () => {
  const run = await commandedRun(place, "hang");
  const { page } = await place.open(`/runs/${run}`, breaks);
  const field = page.getByRole("textbox", { name: "Follow up" });
  const isOpen = () => page.locator("form:not([data-disabled=true]) [data-reply]").waitFor();
  await isOpen();
  const mend = await cut(page, /\/send/);
  await field.fill("Look at the tests, too.");
  await field.press("Control+Enter");
  await page.getByText("Goes to the agent in a moment.").waitFor();
  const failed = page.waitForEvent("requestfailed");
  await page.getByRole("link", { name: "Usage" }).first().click();
  await failed;
  await page.goBack();
  await page.getByRole("alert").getByText("Your text is still in the field.").waitFor();
  expect(await field.inputValue()).toBe("Look at the tests, too.");

  await mend();
  await page.route(/\/send/, () => {});
  await field.press("Control+Enter");
  await page.getByText("Sending…").waitFor();
  await page.reload();
  await page.getByText("The page was left before the server answered.").waitFor();
  expect(await field.inputValue()).toBe("Look at the tests, too.");

  await page.unroute(/\/send/);
  await isOpen();
  await field.press("Control+Enter");
  await page.locator("#main").getByText("Look at the tests, too.").waitFor();
  await expect.poll(() => field.inputValue()).toBe("");
  await place.client.runs.cancel(run);
});

it("starts one run although its answer was lost and the button was pressed again", async () => {
  const { page } = await place.open(`/runs/${demo}`, breaks);
  const ids = async () => (await place.client.runs.list({ limit: 100 })).data.map(({ run_id }) => run_id);
  const before = await ids();
  await deafen(page, /\/retry$/);
  const retry = async () => {
    await page.getByRole("button", { name: "Retry", exact: true }).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Retry", exact: true }).click();
  };
  await retry();
  await page.getByText("it is not known whether it happened").waitFor();
  await page.unroute(/\/retry$/);
  await retry();
  await page.waitForURL((url) => !url.pathname.includes(demo));
  const after = (await ids()).filter((id) => !before.includes(id));
  expect(after).toEqual([page.url().split("/").at(-1)]);
  await place.client.runs.cancel(after[0] ?? "");
});

it("goes on by itself when the server answers again, in the list, in the changes and among the approvals", async () => {
  const { page } = await place.open("/", breaks);
  await page.locator(`a[href="/runs/${demo}"]`).first().waitFor();
  let mend = await cut(page, /\/v1\/runs\?/);
  await page.locator("[data-filter]").fill("greet");
  await page.getByText("The runs could not be read.").waitFor();
  await mend();
  await page.locator(`a[href="/runs/${demo}"]`).first().waitFor();

  mend = await cut(page, /\/v1\/artifacts/);
  await page.goto(`/runs/${demo}/changes`);
  await page.getByText("The stored changes could not be read").waitFor();
  await mend();
  await page
    .getByRole("button", { name: /^Revert/ })
    .first()
    .waitFor();

  mend = await cut(page, /\/v1\/approvals/);
  await page.goto("/approvals");
  await page.getByText("What waits could not be read").waitFor();
  await mend();
  await page.getByText("Nothing waits for you").waitFor();
});

it("never says that only a part of an action was kept because the server did not answer", async () => {
  const command = `echo ${"x".repeat(100_000)} end`;
  const approval = await waitingRun(place, "Long", [{ ask: { tool: "Bash", input: { command } } }]);
  const { page } = await place.open("/", breaks);
  const mend = await cut(page, /\/v1\/(runs\/[^/]+\/events|artifacts)/);
  const failures: string[] = [];
  page.on("requestfailed", (request) => failures.push(request.url()));
  await page.goto(`/approvals/${approval.approval_id}`);
  await page.getByRole("button", { name: /^Loading all of it/ }).waitFor();
  // The client has given up by then.
  await expect.poll(() => failures.length, { timeout: 30_000 }).toBeGreaterThan(3);
  expect(await page.getByText("Only a part of this action was kept").count()).toBe(0);
  await mend();
  await page.getByRole("button", { name: /^Approve/ }).waitFor();
  await place.client.approvals.resolve(approval.approval_id, { decision: "reject" });
});
