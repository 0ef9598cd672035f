import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drafts, newRunId } from "../../testing/log/drafts.ts";
import { recordedRun } from "../../testing/runtime/recorded-run.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../testing/runtime/temporary-log.ts";
import { applyRetention, type Pruning, planRetention, planRetentionOf, type RetentionSubject } from "./retention.ts";

const ended = (run_id: string, ended_at: number, more: Partial<RetentionSubject> = {}): RetentionSubject => ({
  run_id,
  first_sequence: 0,
  last_sequence: 9,
  end_sequence: 8,
  ended_at,
  bytes: 1000,
  ...more,
});
const running: RetentionSubject = { run_id: "running", first_sequence: 0, last_sequence: 99, bytes: 5000 };

describe("a retention plan", () => {
  it("prunes old runs up to their terminal event, and no run that has not ended", () => {
    const runs = [ended("old", 1_000), ended("new", 9_000), running];
    expect(planRetention(runs, { max_age_ms: 5_000 }, 10_000)).toEqual([
      { run_id: "old", through: 7, events: 8, bytes: 800, reason: "retention_window" },
    ]);
  });

  it("keeps the newest events of every run", () => {
    expect(planRetention([ended("a", 1), running], { max_events: 5 }, 10)).toMatchObject([
      { run_id: "a", through: 4, events: 5, reason: "retention_count" },
      { run_id: "running", through: 94, events: 95, reason: "retention_count" },
    ]);
    expect(planRetention([ended("a", 1)], { max_events: 1 }, 10)).toMatchObject([{ through: 7 }]);
    expect(planRetention([ended("a", 1), running], { max_events: 100 }, 10)).toEqual([]);
  });

  it("prunes the runs that ended first if there are too many runs", () => {
    const runs = [ended("c", 3), ended("a", 1), ended("b", 2), running];
    expect(planRetention(runs, { max_runs: 2 }, 10)).toMatchObject([
      { run_id: "a", through: 7, reason: "retention_count" },
      { run_id: "b", through: 7, reason: "retention_count" },
    ]);
    expect(planRetention(runs, { max_runs: 4 }, 10)).toEqual([]);
  });

  it("never prunes a run that Spoor itself performs before it is over", () => {
    const own = { ...running, is_own: true };
    expect(planRetention([own], { max_events: 5, max_runs: 0, max_bytes: 0, max_age_ms: 0 }, 10)).toEqual([]);
    expect(planRetention([ended("own", 1, { is_own: true })], { max_age_ms: 0 }, 10)).toHaveLength(1);
  });

  it("prunes no further than the oldest approval that nobody has answered", () => {
    const waiting = { ...running, oldest_pending: 40 };
    expect(planRetention([waiting], { max_events: 5 }, 10)).toMatchObject([{ through: 39 }]);
  });

  it("counts the bytes of artifacts", () => {
    const runs = [ended("a", 1, { artifact_bytes: 9_000 }), ended("b", 2)];
    expect(planRetention(runs, { max_bytes: 12_000 }, 10)).toEqual([]);
    expect(planRetention(runs, { max_bytes: 5_000 }, 10)).toMatchObject([{ run_id: "a", bytes: 8_000 }]);
  });

  it("prunes the runs that ended first until the rest is small enough", () => {
    const runs = [ended("c", 3), ended("a", 1), ended("b", 2), running];
    expect(planRetention(runs, { max_bytes: 8_000 }, 10)).toEqual([]);
    expect(planRetention(runs, { max_bytes: 6_500 }, 10).map(({ run_id }) => run_id)).toEqual(["a", "b"]);
    expect(planRetention(runs, { max_bytes: 0 }, 10)).toHaveLength(3);
  });

  it("never prunes a terminal event or what is pruned already, and is empty once applied", () => {
    const subject = fc
      .record({
        first: fc.nat(20),
        held: fc.nat(50),
        end: fc.nat(60),
        age: fc.nat(100),
        isRunning: fc.boolean(),
        bytes: fc.nat(1000),
      })
      .map(({ first, held, end, age, isRunning, bytes }, index = 0): RetentionSubject => {
        const last_sequence = first + held;
        const end_sequence = Math.min(last_sequence, Math.max(first + 1, end));
        const place = {
          run_id: `r${index}`,
          first_sequence: first,
          last_sequence,
          bytes,
        };
        return isRunning || held === 0 ? place : { ...place, end_sequence, ended_at: age };
      });
    const policy = fc.record(
      { max_age_ms: fc.nat(100), max_events: fc.nat(40), max_bytes: fc.nat(5000) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(subject, { maxLength: 8 }), policy, (subjects, limits) => {
        const runs = subjects.map((each, index) => ({ ...each, run_id: `r${index}` }));
        for (const { run_id, through, events } of planRetention(runs, limits, 100)) {
          const run = runs.find((each) => each.run_id === run_id) as RetentionSubject;
          expect(events).toBeGreaterThan(0);
          expect(through).toBeLessThan(run.end_sequence ?? run.last_sequence + 1);
          expect(through).toBeGreaterThanOrEqual(run.first_sequence);
        }
      }),
    );
  });
});

describe("retention of a log", () => {
  it("prunes as planned, and the rest keeps the contract", async () => {
    const { log } = temporaryLog();
    const run_ids = [await recordedRun(log), await recordedRun(log)];
    const policy = { max_age_ms: 1_000, max_bytes: 10_000_000 };
    const now = Date.now() + 1_000_000_000_000;
    const plan = await planRetentionOf(log, policy, now);
    expect(plan.map(({ run_id }) => run_id).toSorted()).toEqual(run_ids.toSorted());
    const bytes = JSON.stringify(await envelopesOf(log, run_ids[0] as string)).length;
    expect(plan[0]?.bytes).toBeGreaterThan(bytes / 2);
    await applyRetention(log, plan);
    for (const run_id of run_ids) {
      const types = (await envelopesOf(log, run_id)).map(({ type }) => type);
      expect(types).toEqual(["gap.events_pruned", "run.finished"]);
    }
    expect(await findingsOf(log, run_ids)).toEqual([]);
    expect(await planRetentionOf(log, policy, now)).toEqual([]);
  });

  it("deletes the raw lines of a run that has ended, and keeps those of a running one", async () => {
    const { log } = temporaryLog();
    const over = await recordedRun(log);
    const under_way = newRunId();
    await log.append([{ run_id: under_way, create: { agent: "toy", kind: "agent" }, drafts: drafts(9) }]);
    const line = { at: 1, from: "stdout", text: "a raw line" } as const;
    for (const run_id of [over, under_way]) await log.tapes.append(run_id, [line]);
    await applyRetention(log, await planRetentionOf(log, { max_events: 2 }));
    expect(await Readable.from(log.tapes.read(over)).toArray()).toEqual([]);
    expect(await log.run(over)).toMatchObject({ has_tape: false });
    expect(await Readable.from(log.tapes.read(under_way)).toArray()).toEqual([line]);
  });

  it("reports a run that cannot be pruned, and prunes the others", async () => {
    const { log } = temporaryLog();
    const run_ids = [await recordedRun(log), await recordedRun(log)];
    const plan = run_ids.map((run_id) => ({ run_id, through: 2, events: 3, reason: "operator" as const }));
    const { done, failures } = await applyRetention(log, [
      { ...plan[0], through: 1_000 } as Pruning,
      plan[1] as Pruning,
    ]);
    expect([done, failures.map(({ code }) => code)]).toEqual([[plan[1]], ["damaged"]]);
  });
});
