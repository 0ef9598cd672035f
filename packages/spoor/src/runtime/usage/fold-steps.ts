import type { Envelope } from "@spoor/protocol";
import type { StepRecord } from "@spoor/protocol/api";
import type { StepStatus } from "@spoor/protocol/api/values";
import { modelStepId } from "../projections/step-id.ts";
import { joinSources } from "./fold-usage.ts";

/** The steps of a run: model calls with their cost, and tool calls, in the order in which they began. */
export class StepsFold {
  readonly #steps: StepRecord[] = [];
  readonly #byId = new Map<string, StepRecord>();
  /** The step of the current turn, to which costs belong. */
  #turn: StepRecord | undefined;
  /** Calls that wait for an answer, by the id of the approval. */
  readonly #waiting = new Map<string, StepRecord>();

  /** Every event of the run, in order. */
  add(envelope: Envelope): void {
    handlers[envelope.type]?.(this.#context, envelope);
  }

  steps(): StepRecord[] {
    return this.#steps;
  }

  readonly #context: Context = {
    turn: (envelope) => {
      this.#turn = this.#step(modelStepId(envelope.data.turn_index), "model_call", envelope);
      return this.#turn;
    },
    currentTurn: () => this.#turn,
    call: (envelope) => {
      const id = envelope.data.tool_call_id;
      return typeof id === "string" ? this.#step(id, "tool_call", envelope) : undefined;
    },
    waiting: this.#waiting,
  };

  #step(step_id: string, kind: StepRecord["kind"], { sequence, data, occurred_at }: Envelope): StepRecord {
    const known = this.#byId.get(step_id);
    if (known) {
      known.last_sequence = sequence;
      return known;
    }
    const { turn_index } = data;
    const step: StepRecord = {
      ...{ step_id, kind, status: kind === "model_call" ? "running" : "proposed", name: "" },
      ...(typeof turn_index === "number" && { turn_index }),
      ...{ started_at: occurred_at, first_sequence: sequence, last_sequence: sequence },
    };
    this.#byId.set(step_id, step);
    this.#steps.push(step);
    return step;
  }
}

interface Context {
  turn(envelope: Envelope): StepRecord;
  currentTurn(): StepRecord | undefined;
  call(envelope: Envelope): StepRecord | undefined;
  waiting: Map<string, StepRecord>;
}

type Handler = (context: Context, envelope: Envelope) => void;

const handlers: Readonly<Record<string, Handler>> = {
  "turn.started": (context, envelope) => {
    put(context.turn(envelope), "name", envelope.data.model);
  },
  "turn.failed": (context, envelope) => {
    const step = context.turn(envelope);
    step.status = "failed";
    put(step, "error", envelope.data.message);
  },
  "turn.completed": (context, envelope) => {
    const step = context.turn(envelope);
    end(step, step.status === "failed" ? "failed" : "completed", envelope);
    const { cost_micros_usd, cost_source, stop_reason } = envelope.data;
    put(step, "summary", stop_reason);
    if (typeof cost_micros_usd !== "number") return;
    step.cost_micros_usd = cost_micros_usd;
    put(step, "cost_source", cost_source);
  },
  "cost.tick": (context, { data }) => {
    const step = context.currentTurn();
    const { delta_cost_micros_usd: delta, cost_source } = data;
    if (!step || typeof delta !== "number") return;
    step.cost_micros_usd = (step.cost_micros_usd ?? 0) + delta;
    if (isSource(cost_source)) step.cost_source = joinSources(step.cost_source, cost_source);
  },
  "assistant.tool_call_proposed": (context, envelope) => describe(context.call(envelope), envelope),
  "tool.invoked": (context, envelope) => describe(context.call(envelope), envelope),
  "tool.started": (context, envelope) => describe(context.call(envelope), envelope, "running"),
  "tool.completed": ending("completed"),
  "tool.failed": ending("failed"),
  "tool.cancelled": ending("cancelled"),
  "tool.timed_out": ending("timed_out"),
  "policy.tool_blocked": ending("blocked"),
  "approval.requested": (context, envelope) => {
    const step = context.call(envelope);
    if (!step || step.ended_at !== undefined) return;
    step.status = "awaiting_approval";
    context.waiting.set(String(envelope.data.approval_id), step);
  },
  "approval.resolved": answered,
  "approval.timed_out": answered,
};

function answered(context: Context, { data }: Envelope): void {
  const step = context.waiting.get(String(data.approval_id));
  context.waiting.delete(String(data.approval_id));
  if (step?.status === "awaiting_approval") step.status = "proposed";
}

function describe(step: StepRecord | undefined, { data }: Envelope, status?: StepStatus): void {
  if (!step || step.ended_at !== undefined) return;
  put(step, "name", data.tool_name);
  put(step, "tool_kind", data.kind);
  if (status) step.status = status;
}

function ending(status: StepStatus): Handler {
  return (context, envelope) => {
    const step = context.call(envelope);
    if (!step || step.ended_at !== undefined) return;
    describe(step, envelope);
    end(step, status, envelope);
    put(step, "summary", envelope.data.summary);
    put(step, "error", envelope.data.error ?? (status === "blocked" ? envelope.data.reason : undefined));
  };
}

function end(step: StepRecord, status: StepStatus, { occurred_at, data }: Envelope): void {
  step.status = status;
  step.ended_at = occurred_at;
  const measured = typeof data.duration_ms === "number" ? data.duration_ms : undefined;
  step.duration_ms = measured ?? Math.max(0, Date.parse(occurred_at) - Date.parse(step.started_at ?? occurred_at));
}

/** Sets a field that is a text and not empty. */
function put<Field extends "name" | "tool_kind" | "summary" | "error" | "cost_source">(
  step: StepRecord,
  field: Field,
  value: unknown,
): void {
  if (typeof value === "string" && value !== "") step[field] = value as NonNullable<StepRecord[Field]>;
}

const isSource = (source: unknown): source is Exclude<NonNullable<StepRecord["cost_source"]>, "mixed"> =>
  source === "billed" || source === "agent_reported" || source === "estimated";
