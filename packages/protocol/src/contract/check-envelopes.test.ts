import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validStream } from "../../testing/arbitrary.ts";
import { envelopeMutations } from "../../testing/contract/envelope-mutations.ts";
import { recorded } from "../../testing/record.ts";
import { Script } from "../../testing/script.ts";
import { simulate } from "../../testing/simulate/simulate.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { createEnvelopeChecker } from "./check-envelopes.ts";
import type { Finding } from "./finding.ts";
import { envelopeRules } from "./rules.ts";

function check(envelopes: readonly unknown[]): Finding[] {
  const checker = createEnvelopeChecker();
  return [...envelopes.flatMap((envelope) => checker.add(envelope)), ...checker.end()];
}

const brokenRules = (envelopes: readonly unknown[]) =>
  new Set(check(envelopes).flatMap((finding) => (finding.kind === "violation" ? [finding.rule] : [])));

const streams: Envelope[][] = fc
  .sample(fc.array(fc.nat(1_000_000), { minLength: 60, maxLength: 120 }), { seed: 113, numRuns: 30 })
  .map((tape) => recorded(simulate(tape)));

describe("the checker of envelopes", () => {
  it("accepts every recorded valid stream", () => {
    fc.assert(
      fc.property(validStream(), (events) => {
        expect(check(recorded(events))).toEqual([]);
      }),
    );
  });

  it.each(envelopeMutations.map((mutation) => [mutation.rule, mutation.does, mutation] as const))(
    "reports %s when a mutation %s",
    (rule, _does, mutation) => {
      let applied = 0;
      for (const envelopes of streams) {
        for (const site of mutation.sites(envelopes)) {
          expect(brokenRules(mutation.apply(envelopes, site))).toContain(rule);
          applied += 1;
        }
      }
      expect(applied).toBeGreaterThan(0);
    },
  );

  it("has a mutation for every rule", () => {
    const mutated = new Set<string>(envelopeMutations.map(({ rule }) => rule));
    expect(Object.keys(envelopeRules).filter((rule) => !mutated.has(rule))).toEqual([]);
  });

  const run = recorded(new Script().begin().turn().message("Hel", "lo").endTurn().end().events);

  it("checks the AgentEvent contract for a run that names its agent", () => {
    const silent = run.map((envelope) =>
      envelope.type === "assistant.text_complete" ? { ...envelope, data: { ...envelope.data, text: "Bye" } } : envelope,
    );
    expect(brokenRules(silent)).toEqual(new Set(["message.text"]));
  });

  it("accepts any order of events in a foreign run", () => {
    const foreign = run.map((envelope) =>
      envelope.type === "run.created" ? { ...envelope, data: { kind: "agent_loop" } } : envelope,
    );
    const withoutSession = foreign.filter(({ type }) => !type.startsWith("session."));
    expect(check(withoutSession.map((envelope, sequence) => ({ ...envelope, sequence })))).toEqual([]);
  });

  it("asks no session of a run that ended before it started", () => {
    const [created] = run as [Envelope];
    const cancelled = { ...(run.at(-1) as Envelope), sequence: 1, type: "run.cancelled", data: { reason: "" } };
    expect(check([created, cancelled])).toEqual([]);
    const started = { ...cancelled, type: "run.started", data: {} };
    const ended = { ...cancelled, event_id: `${cancelled.event_id.slice(0, -1)}Z`, sequence: 2 };
    expect(brokenRules([created, started, ended])).toEqual(new Set(["session.first"]));
  });

  it("starts after a pruned prefix and treats spans whose start was pruned as open", () => {
    const cut = run.findIndex(({ type }) => type === "assistant.text_delta");
    const gap = {
      ...(run[cut] as Envelope),
      type: "gap.events_pruned",
      event_id: "evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
      data: {
        first_pruned_sequence: 0,
        last_pruned_sequence: cut,
        pruned_at: "2026-11-03T00:00:00Z",
        reason: "retention_window",
        agent: "claude",
      },
    };
    expect(check([gap, ...run.slice(cut + 1)])).toEqual([]);
  });

  it("accepts a valid stream with any range of events lost", () => {
    fc.assert(
      fc.property(validStream(), fc.nat(), fc.nat(), (events, from, length) => {
        const whole = recorded(events);
        const first = from % whole.length;
        const last = Math.min(first + (length % whole.length), whole.length - 1);
        const { session_id, ...place } = whole[last] as Envelope;
        const gap = {
          ...place,
          ...(session_id !== undefined && { session_id }),
          type: "gap.events_lost",
          data: {
            first_lost_sequence: first,
            last_lost_sequence: last,
            detected_at: "2026-11-03T00:00:00Z",
            reason: "corrupt",
            agent: "claude",
          },
        };
        const findings = check([...whole.slice(0, first), gap, ...whole.slice(last + 1)]);
        expect(findings.filter(({ kind }) => kind === "violation")).toEqual([]);
      }),
    );
  });

  it("allows late facts after the terminal run event", () => {
    const last = run.at(-1) as Envelope;
    const late = [
      ["tool.file.reverted", { artifact_id: "art_1", path: "a", artifact_status: "reverted", before_existed: true }],
      ["approval.resolved", { approval_id: "appr_1", decision: "cancelled" }],
      ["task.updated", {}],
      ["acme.deploy_finished", { build: 4 }],
    ].map(([type, data], n) => ({
      ...last,
      event_id: `${last.event_id.slice(0, -1)}${"WXYZ"[n]}`,
      sequence: last.sequence + 1 + n,
      type,
      data,
    }));
    expect(check([...run, ...late])).toEqual([
      { kind: "note", index: run.length + 3, message: 'The type "acme.deploy_finished" is unknown.' },
    ]);
  });

  it("accepts the newer names of the upstream protocol", () => {
    const renamed = run.map((envelope) =>
      envelope.type.startsWith("turn.")
        ? {
            ...envelope,
            type: envelope.type.replace("turn.", "model.call."),
            data: { ...envelope.data, turn_index: undefined, model_call_index: envelope.data.turn_index },
          }
        : envelope,
    );
    expect(check(JSON.parse(JSON.stringify(renamed)))).toEqual([]);
  });
});
