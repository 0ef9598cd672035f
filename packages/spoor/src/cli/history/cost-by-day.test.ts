import { expect, it } from "vitest";
import type { StoredRun } from "../../log/records.ts";
import type { Style } from "../output/style.ts";
import { costByDay } from "./cost-by-day.ts";

const style: Style = {
  ...{ codes: false, isAscii: false, columns: Number.POSITIVE_INFINITY, rows: 0 },
  paint: (_, text) => text,
  plain: (text) => text,
};

const at = (year: number) => new Date(year, 10, 16, 12).getTime();

const costOf = (...runs: Partial<StoredRun>[]): Promise<string> =>
  costByDay(
    (async function* () {
      for (const run of runs) yield { agent: "claude", kind: "agent", created_at: at(2026), ...run } as StoredRun;
    })(),
    style,
  );

it("a run that calls no model costs nothing, and one that does not tell its cost is left out", async () => {
  const command = { agent: "shell", kind: "shell" };
  expect(await costOf({ cost_micros_usd: 20_000 }, command)).not.toContain("unknown");
  expect(await costOf({ cost_micros_usd: 20_000 }, command, {})).toContain("1 run of unknown cost is not in it");
});

it("the same day of two years is two days", async () => {
  const text = await costOf({ cost_micros_usd: 20_000 }, { cost_micros_usd: 30_000, created_at: at(2025) });
  expect(text.match(/^16 Nov/gm)).toHaveLength(2);
});
