import { mkdirSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { shortRun } from "../../spoor/testing/runtime/recorded-run.ts";
import { openPlace, type Place } from "./harness.ts";
import { patchedRun } from "./runs/patches.ts";
import { recordEvents } from "./runs/recorded.ts";
import { visit } from "./settled.ts";

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});

/** What the terminal prints. */
const printed = (args: readonly string[]) => text(place.spoor([...args, "--data", place.data]).stdout);

const panel = (page: Page) => page.getByRole("complementary", { name: "The run now" });
const lines = (count: number, change = "") => Array.from({ length: count }, (_, at) => `${at}${change}\n`).join("");

it("counts the lines that a run comes to, in the list, the panel, the changes, the comparison and the terminal", async () => {
  const root = path.join(place.home, "project");
  mkdirSync(root);
  const { run_id } = await patchedRun(place.data, root, [
    { path: "greet.sh", after: "one\ntwo\nthree\n", tool: "Write" },
    { path: "greet.sh", before: "one\ntwo\nthree\n", after: "one\ntwo\nfour\n" },
    { path: "test.sh", after: lines(9), tool: "Write" },
  ]);
  const { page } = await place.open("/");
  const row = page.locator(`[data-run="${run_id}"]`);
  await row.getByText("+12", { exact: true }).waitFor();
  expect(await row.getByText("−").count()).toBe(0);
  await visit(page, `/runs/${run_id}`);
  await expect.poll(() => panel(page).getByRole("listitem").allTextContents()).toEqual(["Agreet.sh+3", "Atest.sh+9"]);
  await visit(page, `/runs/${run_id}/changes`);
  await page.getByRole("navigation", { name: "Files" }).getByText("+12", { exact: true }).waitFor();
  await visit(page, `/compare?run=${run_id}`);
  await page.getByRole("row", { name: "Changed" }).getByText("+12", { exact: true }).waitFor();
  expect(await printed(["ls"])).toContain("2 +12 -0");
  expect((await printed(["show", run_id])).match(/A (greet|test)\.sh +\S+/g)).toEqual([
    "A greet.sh +3",
    "A test.sh  +9",
  ]);
  expect(await printed(["diff", run_id, "--stat"])).toBe("+3  -0  greet.sh\n+9  -0  test.sh\n");
});

it("shows what several edits of a file come to in the panel, and in `show`, as the changes do", async () => {
  const root = path.join(place.home, "edited");
  mkdirSync(root);
  const { run_id } = await patchedRun(place.data, root, [
    { path: "a.js", before: lines(4), after: lines(4, "?") },
    { path: "a.js", before: lines(4, "?"), after: `${lines(4)}4\n` },
  ]);
  const { page } = await place.open(`/runs/${run_id}`);
  await expect.poll(() => panel(page).getByRole("listitem").allTextContents()).toEqual(["Ma.js+1"]);
  await visit(page, `/runs/${run_id}/changes`);
  await expect
    .poll(() => page.getByRole("navigation", { name: "Files" }).getByRole("listitem").allTextContents())
    .toEqual(["a.js, applied+1"]);
  expect(await printed(["show", run_id])).toMatch(/M a\.js +\+1 +applied/);
  expect(await printed(["diff", run_id, "--stat"])).toBe("+1  -0  a.js\n");
});

it("counts the lines of a new file that only the input of its call tells, on its card, in the panel and in the list", async () => {
  const content = "import { add } from './calc.js';\n\nconsole.log(add(1, 2));\n";
  const file = "src/calc.test.js";
  const events = shortRun((script) =>
    script
      .tool({ id: "w1", name: "Write", kind: "file_write", input: { file_path: file, content } })
      .emit("file_create", { path: file, byteCount: content.length, toolCallId: "w1" })
      .result("w1", "Write", "File created."),
  );
  const run = await recordEvents(place.data, events, { prompt: "Write a test" });
  const { page } = await place.open(`/runs/${run}`);
  await page.locator("#main").getByText("+3", { exact: true }).waitFor();
  await expect.poll(() => panel(page).getByRole("listitem").allTextContents()).toEqual(["Asrc/calc.test.js+3"]);
  await visit(page, "/");
  await page.locator(`[data-run="${run}"]`).getByText("+3", { exact: true }).waitFor();
});
