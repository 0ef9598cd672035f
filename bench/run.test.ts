import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("prints a ratio for every row, on streams that keep the contract", () => {
  const script = fileURLToPath(new URL("run.ts", import.meta.url));
  const output = execFileSync(process.execPath, ["--conditions=source", script, "--quick"], { encoding: "utf8" });
  const rows = output.trim().split("\n").slice(1);
  expect(rows).toHaveLength(46);
  for (const row of rows) expect(row).toMatch(/^\S.+ \d+\.\d\d× .+ [≤≥] [\d.]+×.* (met|MISSED) +\S/);
}, 300_000);
