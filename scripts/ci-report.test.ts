import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const script = fileURLToPath(new URL("../.ci/report.mjs", import.meta.url));

type Outcome = "passed" | "failed" | "skipped";
type Files = Record<string, Record<string, Outcome> | "unloaded">;

/** Runs the script over reports of these files, and returns the lines that it printed and whether it succeeded. */
async function report(task: "failed" | "count", ...tries: Files[]): Promise<{ lines: string[]; ok: boolean }> {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-ci-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const names = ["first.json", "again.json"].map((name) => path.join(folder, name));
  for (const [index, files] of tries.entries())
    writeFileSync(names[index] ?? "", JSON.stringify(asVitestReports(files)));
  const finished = promisify(execFile)(process.execPath, [script, task, ...names]);
  const { stdout, code = 0 } = await finished.catch((error) => error);
  return { lines: stdout.trim().split("\n"), ok: code === 0 };
}

function asVitestReports(files: Files) {
  const testResults = Object.entries(files).map(([name, tests]) => {
    const outcomes = tests === "unloaded" ? [] : Object.entries(tests);
    const failed = tests === "unloaded" || outcomes.some(([, status]) => status === "failed");
    const assertionResults = outcomes.map(([fullName, status]) => ({ fullName, status }));
    return { name, status: failed ? "failed" : "passed", assertionResults };
  });
  return { testResults };
}

const steady: Files = { "a.test.ts": { one: "passed", two: "skipped" } };

it("counts what passed and failed, and a file that could not be loaded as one failure", async () => {
  expect(await report("count", steady)).toEqual({ lines: ["1 passed, 0 failed"], ok: true });
  const broken: Files = { ...steady, "b.test.ts": { three: "failed" }, "c.test.ts": "unloaded" };
  expect(await report("count", broken)).toEqual({ lines: ["1 passed, 2 failed"], ok: false });
  expect(await report("failed", broken)).toEqual({ lines: ["b.test.ts", "c.test.ts"], ok: true });
});

it("names a test that passed at its second try, and fails if one failed twice", async () => {
  const first: Files = { ...steady, "b.test.ts": { three: "failed", four: "failed" } };
  expect(await report("count", first, { "b.test.ts": { three: "passed", four: "passed" } })).toEqual({
    lines: [
      "Unsteady, passed at the second try: three",
      "Unsteady, passed at the second try: four",
      "3 passed, 0 failed",
    ],
    ok: true,
  });
  expect(await report("count", first, { "b.test.ts": { three: "passed", four: "failed" } })).toEqual({
    lines: ["Unsteady, passed at the second try: three", "2 passed, 1 failed"],
    ok: false,
  });
});

it("fails if no test passed, or if there is no report", async () => {
  expect(await report("count", { "a.test.ts": { one: "skipped" } })).toMatchObject({ ok: false });
  expect(await report("count")).toMatchObject({ ok: false });
});
