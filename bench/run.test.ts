import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("run.ts", import.meta.url));
const bench = (args: string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, ["--conditions=spoor-source", script, "--quick", ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
const rowsOf = (stdout: string): string[] => stdout.trim().split("\n").slice(1);

it("prints a ratio for every row and names the group that is being measured", () => {
  const { status, stdout, stderr } = bench([]);
  const rows = rowsOf(stdout);
  expect(status).toBe(0);
  expect(rows.length).toBeGreaterThanOrEqual(52);
  for (const row of rows) expect(row).toMatch(/^\S.+ \d+\.\d\d× .+ [≤≥] [\d.]+×.* (met|MISSED) +\S/);
  expect(stderr).toMatch(/^1 of \d+: measuring protocol …$/m);
}, 300_000);

it("prints the rows of the other groups when one fails, says which failed, and exits with 1", () => {
  const { status, stdout, stderr } = bench(["append", "protocol"], { TMPDIR: "/no/such/folder" });
  expect({ status, rows: rowsOf(stdout).length }).toEqual({ status: 1, rows: 4 });
  expect(stderr).toContain("Not measured to the end: append.");
}, 120_000);

it("lists the groups when it is given an unknown one", () => {
  const { status, stderr } = bench(["apend"]);
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("There is no group apend. Known:") });
});
