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

/** How many rows these groups have. A group that is not in here has at least one. */
const counts = {
  protocol: 4,
  normalise: 14,
  languages: 11,
  redaction: 1,
  policy: 2,
  growth: 7,
  memory: 1,
  run: 1,
  loop: 2,
  queue: 2,
  commands: 1,
  webhooks: 2,
  snapshot: 3,
  page: 7,
  append: 5,
  reads: 5,
  http: 2,
  "fan-out": 3,
  stalled: 3,
  start: 3,
};

it("prints a ratio for every row and names the group that is being measured", () => {
  const { status, stdout, stderr } = bench([]);
  const rows = rowsOf(stdout);
  expect(status).toBe(0);
  for (const row of rows) expect(row).toMatch(/^\S.+ \d+\.\d\d× .+ [≤≥] [\d.]+×.* (met|MISSED) +\S/);
  const measured = [...stderr.matchAll(/^\d+ of \d+: measuring (\S+) …$/gm)].map(([, name]) => name);
  const found: Record<string, number> = Object.fromEntries(
    [...stderr.matchAll(/^(\S+): (\d+) rows$/gm)].map(([, name, n]) => [name, Number(n)]),
  );
  expect(Object.keys(found)).toEqual(measured);
  expect(found).toMatchObject(counts);
  expect(Object.values(found)).not.toContain(0);
  expect(Object.values(found).reduce((sum, n) => sum + n, 0)).toBe(rows.length);
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
