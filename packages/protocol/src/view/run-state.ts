import type { EnvelopeType } from "../envelope/catalog.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { isTerminalRunType } from "../envelope/terminal.ts";
import { envelopeTypes } from "./fold-handlers.ts";
import { count, put, when } from "./payload-fields.ts";
import { isOver, type RunViewState } from "./types.ts";
import type { Draft } from "./view-draft.ts";

/** Updates the run's state after an event. No other code changes it. `types.ts` describes the states. */
export function updateState(draft: Draft, type: EnvelopeType, envelope: Envelope): void {
  const { run } = draft;
  run.state = nextState(draft, type, envelope.data);
  if (run.end !== undefined && !isOver(run)) delete run.end;
  const hasBegun = run.state !== "idle" && run.state !== "blocked";
  if (hasBegun && run.startedAt === undefined) put(run, { startedAt: when(envelope) });
}

function nextState(draft: Draft, type: EnvelopeType, data: Envelope["data"]): RunViewState {
  const { run } = draft;
  if (run.state === "error" && type !== "turn.started") return "error";
  const leadsTo = effects.get(type)?.(draft, data);
  if (leadsTo === "error" || (leadsTo && isTerminalRunType(type))) return leadsTo;
  if (isOver(run)) return run.state;
  if (waitsForSomeone(draft)) return "blocked";
  return leadsTo ?? (run.state === "blocked" ? (run.status === "running" ? "working" : "idle") : run.state);
}

const waitsForSomeone = ({ run, lookup }: Draft): boolean =>
  run.status === "paused" ||
  run.status === "awaiting_approval" ||
  lookup.pendingApprovals.size > 0 ||
  lookup.pendingQuestions.size > 0;

type Effect = (draft: Draft, data: Envelope["data"]) => Exclude<RunViewState, "blocked"> | undefined;

const leads =
  (state: Exclude<RunViewState, "blocked">): Effect =>
  () =>
    state;

/** The state that an event leads to. Types that are not listed do not change the state. */
const effects: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ...envelopeTypes.filter(showsWork).map((type): [string, Effect] => [type, leads("working")]),
  ["run.created", leads("idle")],
  ["run.queued", leads("idle")],
  ["run.started", leads("working")],
  ["run.unpaused", leads("working")],
  ["run.finished", leads("done")],
  ["run.cancelled", leads("done")],
  ["run.failed", leads("error")],
  ["run.timed_out", leads("error")],
  ["session.ended", leads("done")],
  ["turn.completed", (draft, data) => (continues(draft, data) ? "working" : "done")],
  ["turn.failed", (_, data) => (data.will_retry === true ? "working" : "error")],
  ["turn.limit_reached", leads("error")],
  ["error.auth", leads("error")],
  ["error.context_exceeded", leads("error")],
  ["error.crash", leads("error")],
  ["error.reported", (_, data) => (data.recoverable === true ? undefined : "error")],
]);

/** Turns, model output and tools. `applied` and `reverted` do not count: people also apply patches after the agent stopped. */
function showsWork(type: EnvelopeType): boolean {
  return /^(turn|assistant|tool)\./.test(type) && !/\.(applied|reverted)$/.test(type);
}

/** Whether the run continues after this turn, because its tools run or because it is retried. */
function continues({ lists, lookup, run }: Draft, data: Envelope["data"]): boolean {
  const turn = lists.turns.at(lookup.turns.get(count(data.turn_index) ?? run.turn) ?? -1);
  const calls = count(data.tool_calls) || (turn?.toolCallIds.length ?? 0);
  const reason = turn?.stopReason?.toLowerCase().replaceAll(/[^a-z]/g, "");
  return calls > 0 || lookup.openCalls.size > 0 || turn?.retried === true || continueReasons.has(reason ?? "");
}

/** `tool_use`, `tool_calls`, `tool-calls`, `toolUse`, …: providers spell the reason differently. */
const continueReasons: ReadonlySet<string> = new Set(["tooluse", "toolcall", "toolcalls", "functioncall", "pauseturn"]);
