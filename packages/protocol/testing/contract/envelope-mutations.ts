import type { EnvelopeRuleId } from "../../src/contract/rules.ts";
import type { Envelope } from "../../src/envelope/envelope.ts";
import { isTerminalRunType } from "../../src/envelope/terminal.ts";
import type { Mutation } from "./event-operators.ts";

type Envelopes = readonly Envelope[];
type EnvelopeMutation = Mutation<Envelope, EnvelopeRuleId>;

export const envelopeMutations: EnvelopeMutation[] = [
  alter("envelope.shape", "drops the version", everywhere, () => ({ schema_version: undefined })),
  alter("envelope.shape", "writes a month that does not exist", everywhere, () => ({
    occurred_at: "2026-13-02T00:00:00Z",
  })),
  alter("envelope.shape", "makes data null", everywhere, () => ({ data: null })),
  alter("envelope.payload", "changes the type of a field", of("assistant.text_delta"), ({ data }) => ({
    data: { ...data, delta: 1 },
  })),
  alter("envelope.payload", "invents an enum value", of("session.started"), ({ data }) => ({
    data: { ...data, resumed: "no" },
  })),
  alter("envelope.run", "moves an event to another run", afterFirst, () => ({
    run_id: "run_01K9ZC0000000THER000000000",
  })),
  alter("envelope.context", "changes the task", afterFirst, () => ({ task_id: "task_01K9ZC0000000THER000000000" })),
  { rule: "envelope.first", does: "drops the first event", sites: () => [0], apply: (items) => items.slice(1) },
  {
    rule: "envelope.sequence",
    does: "drops an event",
    sites: (items) => afterFirst(items).filter((at) => at < items.length - 1),
    apply: (items, at) => items.toSpliced(at, 1),
  },
  {
    rule: "envelope.sequence",
    does: "repeats an event",
    sites: afterFirst,
    apply: (items, at) => items.toSpliced(at, 0, items[at] as Envelope),
  },
  {
    rule: "envelope.event_id",
    does: "swaps two ids",
    sites: afterFirst,
    apply: (items, at) => {
      const [before, after] = [items[at - 1] as Envelope, items[at] as Envelope];
      return items
        .with(at - 1, { ...before, event_id: after.event_id })
        .with(at, { ...after, event_id: before.event_id });
    },
  },
  alter("gap.range", "adds a gap event although nothing is missing", of("assistant.text_delta"), ({ sequence }) => ({
    type: "gap.events_lost",
    data: {
      first_lost_sequence: 0,
      last_lost_sequence: sequence,
      detected_at: "2026-11-02T00:00:00Z",
      reason: "corrupt",
    },
  })),
  alter("run.resumed", "resumes in the middle", of("turn.started"), () => ({
    type: "run.resumed_from_event",
    data: { from_run_id: "run_01K9ZC0000000THER000000000" },
  })),
  {
    rule: "call.started",
    does: "starts a call twice",
    sites: of("tool.started"),
    apply: (items, at) => items.toSpliced(at, 0, items[at] as Envelope),
  },
  {
    rule: "call.started",
    does: "starts a call after its end",
    sites: of("tool.completed"),
    apply: (items, at) => items.toSpliced(at + 1, 0, { ...(items[at] as Envelope), type: "tool.started" }),
  },
  { rule: "run.end", does: "drops the terminal event", sites: ends, apply: (items, at) => items.slice(0, at) },
  appended("run.end_once", "ends twice", "run.cancelled", { reason: "" }),
  appended("run.after_end", "adds a message after the end", "assistant.text_delta", {
    turn_index: 1,
    block_index: 0,
    delta: "x",
  }),
  appended("run.after_end", "approves after the end", "approval.resolved", { approval_id: "a", decision: "approved" }),
];

function alter(
  rule: EnvelopeRuleId,
  does: string,
  sites: (items: Envelopes) => number[],
  patch: (envelope: Envelope) => Record<string, unknown>,
): EnvelopeMutation {
  return {
    rule,
    does,
    sites,
    apply: (items, at) => {
      const envelope = items[at] as Envelope;
      return items.with(at, { ...envelope, ...patch(envelope) } as Envelope);
    },
  };
}

function appended(rule: EnvelopeRuleId, does: string, type: string, data: Record<string, unknown>): EnvelopeMutation {
  return {
    rule,
    does,
    sites: ends,
    apply: (items) => {
      const last = items.at(-1) as Envelope;
      const event_id = `${last.event_id.slice(0, -1)}Z`;
      return [...items, { ...last, event_id, sequence: last.sequence + 1, type, data }];
    },
  };
}

function everywhere(items: Envelopes): number[] {
  return items.map((_, at) => at);
}

function afterFirst(items: Envelopes): number[] {
  return everywhere(items).slice(1);
}

function ends(items: Envelopes): number[] {
  return everywhere(items).filter((at) => isTerminalRunType((items[at] as Envelope).type));
}

function of(type: string): (items: Envelopes) => number[] {
  return (items) => everywhere(items).filter((at) => items[at]?.type === type);
}
