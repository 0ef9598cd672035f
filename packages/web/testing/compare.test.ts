import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { axe, openPlace, type Place } from "./harness.ts";
import { patchedRun } from "./runs/patches.ts";
import { recordGolden } from "./runs/recorded.ts";

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});

const compare = (ids: readonly string[]) => `/compare?${new URLSearchParams(ids.map((id) => ["run", id]))}`;

/** Three agents that were asked the same, each in a folder of its own. */
async function threeRuns() {
  const calc = "export const add = (a, b) => a - b;\n";
  const fixed = calc.replace("a - b", "a + b");
  const tests = { claude: "check();\n", codex: "check();\n", opencode: "test('adds', check);\n" };
  const runs = new Map<string, { run_id: string; root: string }>();
  for (const [agent, test] of Object.entries(tests)) {
    const root = mkdtempSync(path.join(place.home, `${agent}-`));
    const changes = [
      { path: "src/calc.js", before: calc, after: fixed },
      { path: "src/calc.test.js", after: test, tool: "Write" },
      ...(agent === "codex" ? [] : [{ path: "notes.txt", after: "done\n" }]),
    ];
    runs.set(agent, await patchedRun(place.data, root, changes, { agent, prompt: "Fix add() and create a test" }));
  }
  return { ids: [...runs.values()].map(({ run_id }) => run_id), runs };
}

it("runs are shown side by side, with what each did to every file", async () => {
  const { ids } = await threeRuns();
  const { page } = await place.open(compare(ids));
  await page.getByText("Same prompt").waitFor();
  const side = page.getByRole("table", { name: "Runs side by side" });
  await expect.poll(() => side.getByRole("columnheader").count()).toBe(4);
  const files = page.getByRole("group", { name: "File" }).getByRole("button");
  await expect
    .poll(() => files.allTextContents())
    .toEqual(["src/calc.jssame in all", "src/calc.test.js2 ways", "notes.txt2 of 3"]);
  // What differs is shown first.
  await page.getByRole("row", { name: /test\('adds', check\)/ }).waitFor();
  await files.nth(2).click();
  await page.getByText("Did not touch this file.").waitFor();
  const turns = page.getByRole("row", { name: /^Turns/ });
  await expect.poll(() => turns.getByText("least").count()).toBe(1);
  expect(await axe(page)).toEqual([]);

  await page.getByRole("button", { name: /^Remove codex/ }).click();
  await page.waitForFunction(() => new URLSearchParams(location.search).getAll("run").length === 2);
  await page.getByRole("button", { name: "Add a run" }).click();
  await page.getByRole("dialog").getByRole("searchbox").fill("codex");
  await page.getByRole("dialog").getByRole("listitem").getByRole("button").click();
  await page.waitForFunction(() => new URLSearchParams(location.search).getAll("run").length === 3);
  await expect.poll(() => side.getByRole("columnheader").count()).toBe(4);
});

it("recorded agents can be compared, also on a phone, and different prompts and costs are told", async () => {
  const golden = await recordGolden(place.data, ["claude/2.1.325/e-files.jsonl", "codex/0.166.0/e-files.exec.jsonl"]);
  const { ids: asked } = await threeRuns();
  const ids = [...golden.values(), ...asked.slice(0, 1)];
  for (const size of ["laptop", "phone"] as const) {
    const { page } = await place.open(compare(ids), { size, theme: "dark" });
    await page.getByText("The costs have different sources").waitFor();
    await page.getByText("Different prompts").waitFor();
    await page.getByRole("group", { name: "File" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    expect(await axe(page)).toEqual([]);
  }
});

it("the changes of a run in a worktree are applied to the folder it was made from, or not at all", async () => {
  const repository = mkdtempSync(path.join(place.home, "repository-"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  writeFileSync(path.join(repository, "a.txt"), "one\n");
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "start");
  const task = await place.client.tasks.create({
    kind: "shell",
    command: "echo two > a.txt",
    workspace: { mode: "worktree", path: repository },
    start: true,
  } as never);
  const run_id = (await place.client.tasks.get(task.task_id)).latest_run_id as string;
  while ((await place.client.runs.get(run_id)).ended_at === undefined) await sleep(50);
  const read = () => readFileSync(path.join(repository, "a.txt"), "utf8");
  expect(read()).toBe("one\n");

  const { page } = await place.open(compare([run_id]), { expected: [/409/, /Failed to load/] });
  await page.getByText("Add another run to compare").waitFor();
  const dialog = page.getByRole("dialog");
  writeFileSync(path.join(repository, "a.txt"), "mine\n");
  await page.getByRole("button", { name: "Apply its changes" }).click();
  await dialog
    .getByTitle(repository)
    .getByText(`~/${path.basename(repository)}`, { exact: true })
    .waitFor();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.getByRole("alert").getByText("Nothing was written").waitFor();
  expect(read()).toBe("mine\n");
  writeFileSync(path.join(repository, "a.txt"), "one\n");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.getByText("Applied", { exact: true }).waitFor();
  expect(read()).toBe("two\n");
});

it("without runs the screen says how to choose them, and a run that is not there is told", async () => {
  const { ids } = await threeRuns();
  const { page } = await place.open("/compare", { expected: [/404/] });
  await page.getByText("Choose two to four runs").waitFor();
  await page.getByRole("button", { name: "Choose a run" }).click();
  await page.getByRole("dialog").getByRole("listitem").first().getByRole("button").click();
  await page.getByText("Add another run to compare").waitFor();
  await page.goto(compare([ids[0] as string, "run_01J00000000000000000000000"]));
  await page.getByText("There is no run …000000.").waitFor();
  await page.goto(compare([...ids, ...ids.map((id) => `${id}x`)]));
  await page.getByText("The link names 6 runs. The first 4 are compared.").waitFor();
});
