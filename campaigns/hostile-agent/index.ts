import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Campaign } from "../campaign.ts";
import { createRandom } from "../random.ts";
import { judgeCase } from "./judge.ts";
import { planCase } from "./plan.ts";
import { playCase } from "./play.ts";

/** Runs misbehaving agents with the real command and kills the command at random moments. */
export const hostileAgent: Campaign = {
  name: "hostile-agent",
  about:
    "Agents write huge lines, garbage, bombs and half lines, ignore signals, leave children behind, close their output or " +
    "never end, and `spoor run` is killed at random moments",
  cases: { small: 6, full: 120 },
  async run({ cases, seed, onCase }) {
    const counts = {
      runs: 0,
      killed: 0,
      survivors: 0,
      "runs without an end": 0,
      "processes checked": 0,
      "peak memory MB": 0,
    };
    const failures: string[] = [];
    for (let n = 0; n < cases; n += 1) {
      const plan = planCase(createRandom(seed * 1_000_003 + n));
      const folder = mkdtempSync(path.join(tmpdir(), "spoor-hostile-"));
      try {
        const played = await playCase(plan, folder);
        const verdict = await judgeCase(played, folder);
        counts.runs += verdict.runs;
        counts.killed += played.wasKilled ? 1 : 0;
        counts.survivors += verdict.survivors;
        counts["runs without an end"] += verdict.withoutEnd;
        counts["processes checked"] += verdict.lookedFor;
        counts["peak memory MB"] = Math.max(counts["peak memory MB"], played.peakMegabytes);
        const repeat = `Case ${n} of seed ${seed}: ${JSON.stringify(plan)}`;
        failures.push(...[...played.failures, ...verdict.failures].map((failure) => `${failure} ${repeat}`));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
      onCase?.(n + 1);
    }
    return { counts, failures };
  },
};
