import { type EnvelopeType, envelopeCatalog } from "../envelope/catalog.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { isTerminalRunType } from "../envelope/terminal.ts";
import { count, put, when } from "./payload-fields.ts";
import { isOver, type RunViewState } from "./types.ts";
import type { Draft } from "./view-draft.ts";

/** Moves the run's state after an event was taken in: the only place that does. The states are told in `types.ts`. */
export function move(draft: Draft, type: EnvelopeType, envelope: Envelope): void {
  const { run } = draft;
  run.state = next(draft, type, envelope.data);
  if (run.end !== undefined && !isOver(run)) delete run.end;
  const hasBegun = run.state !== "idle" && run.state !== "blocked";
  if (hasBegun && run.startedAt === undefined) put(run, { startedAt: when(envelope) });
}

function next(draft: Draft, type: EnvelopeType, data: Envelope["data"]): RunViewState {
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

/** What an event says of the run; types that are not here say nothing. */
const effects: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ...envelopeCatalog
    .filter(({ type }) => showsWork(type))
    .map(({ type }): [string, Effect] => [type, leads("working")]),
  ["run.created", leads("idle")],
  ["run.queued", leads("idle")],
  ["run.started", leads("working")],
  ["run.unpaused", leads("working")],
  ["run.finished", leads("done")],
  ["run.cancelled", leads("done")],
  ["run.failed", leads("error")],
  ["run.timed_out", leads("error")],
  ["session.ended", leads("done")],
  ["turn.completed", (draft, data) => (goesOn(draft, data) ? "working" : "done")],
  ["turn.failed", (_, data) => (data.will_retry === true ? "working" : "error")],
  ["turn.limit_reached", leads("error")],
  ["error.auth", leads("error")],
  ["error.context_exceeded", leads("error")],
  ["error.crash", leads("error")],
  ["error.reported", (_, data) => (data.recoverable === true ? undefined : "error")],
]);

/** Turns, model output and tools. A patch is also applied or reverted by people, when the agent has long stopped. */
function showsWork(type: EnvelopeType): boolean {
  return /^(turn|assistant|tool)\./.test(type) && !/\.(applied|reverted)$/.test(type);
}

/** Whether the turn ended only for its tools to run, or to be tried again. */
function goesOn({ lists, lookup, run }: Draft, data: Envelope["data"]): boolean {
  const turn = lists.turns.at(lookup.turns.get(count(data.turn_index) ?? run.turn) ?? -1);
  const calls = count(data.tool_calls) || (turn?.toolCallIds.length ?? 0);
  const reason = turn?.stopReason?.toLowerCase().replaceAll(/[^a-z]/g, "");
  return calls > 0 || lookup.openCalls.size > 0 || turn?.retried === true || goOnReasons.has(reason ?? "");
}

/** `tool_use`, `tool_calls`, `tool-calls`, `toolUse`, …: each model's service has its own spelling. */
const goOnReasons: ReadonlySet<string> = new Set(["tooluse", "toolcall", "toolcalls", "functioncall", "pauseturn"]);
