import { mkdirSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, it } from "vitest";
import { shortRun } from "../../spoor/testing/runtime/recorded-run.ts";
import { openPlace, type Place } from "./harness.ts";
import { recordEvents } from "./runs/recorded.ts";
import { waitingRun } from "./runs/waiting.ts";
import { visit } from "./settled.ts";

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});

it("writes ~ for the home folder wherever a folder is a fact, with the whole path as the title, and never in an action", async () => {
  const folder = path.join(place.home, "project");
  mkdirSync(folder);
  const command = `rm ${folder}/notes.txt`;
  const { run_id, approval_id } = await waitingRun(
    place,
    "Remove what is left over",
    [{ ask: { tool: "Bash", input: { command } } }],
    { workspace: { mode: "in_place", path: folder } },
  );
  const { page } = await place.open(`/runs/${run_id}`);
  const facts = page.getByText("~/project", { exact: true });
  const titles = () => facts.evaluateAll((all) => all.map((one) => one.getAttribute("title")));
  // In the head, and on the card of the approval.
  await page.getByRole("region", { name: "Approval" }).getByText("~/project", { exact: true }).waitFor();
  await expect.poll(titles).toEqual([folder, folder]);
  expect(await page.getByRole("region", { name: "Approval" }).textContent()).toContain(command);

  await visit(page, `/approvals/${approval_id}`);
  await page.getByRole("definition").getByText("~/project", { exact: true }).waitFor();
  expect(await titles()).toEqual([folder]);
  expect(await page.locator("#main").textContent()).toContain(command);

  await visit(page, "/?new");
  await page.getByRole("dialog").waitFor();
  await expect.poll(() => page.locator("#new-run-folders option[value='~/project']").count()).toBe(1);

  const phone = await place.open("/approvals", { size: "phone" });
  await phone.page.getByText("~/project", { exact: true }).waitFor();
  expect(await phone.page.locator("#main").textContent()).toContain(command);
});

it("leaves a folder whole whose name only begins like the home folder", async () => {
  const folder = `${place.home}y/project`;
  const run = await recordEvents(place.data, shortRun(), { prompt: "Elsewhere", cwd: folder });
  const { page } = await place.open(`/runs/${run}`);
  await page.getByText(folder, { exact: true }).waitFor();
});
