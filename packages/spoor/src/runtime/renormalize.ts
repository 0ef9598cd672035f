import { type AgentEvent, type Envelope, isEnvelopeType } from "@spoor/protocol";
import { createUlidSource, prefixed } from "@spoor/protocol/ids";
import type { Adapter } from "../agents/machine.ts";
import { adapters as builtIn } from "../agents/registry.ts";
import { SpoorError } from "../failures/errors.ts";
import { readEnvelopes } from "../log/envelopes.ts";
import { LogError } from "../log/errors.ts";
import type { Log, TapeLine } from "../log/log.ts";
import { isOver, type StoredRun } from "../log/records.ts";
import { Recorder } from "./recorder/recorder.ts";
import type { GivenSecret } from "./redaction/index.ts";
import { type Act, actsOf, promptOf } from "./tape/acts.ts";
import { compareRuns, type RunChanges } from "./tape/compare.ts";
import { readHeader, type TapeHeader } from "./tape/header.ts";
import { createReplay } from "./tape/replay.ts";
import { retriesOf } from "./tape/retries.ts";

/** The run that was made from the raw lines, and what differs. */
export interface Renormalized extends RunChanges {
  /** The new run. Its `renormalized_from_run_id` is the run that was read again. */
  run_id: string;
}

/** How raw lines are read again. */
export interface RenormalizeOptions {
  adapters?: readonly Adapter[];
  secrets?: readonly GivenSecret[];
}

/**
 * Reads a run's tape again with the current adapters into a new run of the same task, and reports what changed. The
 * user's input and what Spoor did to the run are copied from the old run, because the tape does not contain them.
 *
 * @example
 * const { run_id: again, types } = await renormalize(log, run_id);
 * console.log(again, types.length === 0 ? "the events are the same" : types);
 */
export async function renormalize(log: Log, run_id: string, options: RenormalizeOptions = {}): Promise<Renormalized> {
  const run = await log.run(run_id);
  if (!run) throw new LogError("run_not_found", `There is no run ${run_id}.`);
  const tape = log.tapes.read(run_id)[Symbol.asyncIterator]();
  const header = headerOf(await tape.next(), run);
  const before = await allOf(log, run_id);
  const runId = newUlid();
  const failure = await reread(log, run, { runId, header, before, tape, options });
  if (failure) throw failure;
  const made = prefixed("run", runId);
  const ignores = (envelope: Envelope) =>
    isFrame.test(envelope.type) || !isOurs(envelope) || (!header.record_thinking && isOfThinking(envelope));
  return { run_id: made, ...compareRuns(before, await allOf(log, made), ignores) };
}

interface Rereading {
  runId: string;
  header: TapeHeader;
  before: readonly Envelope[];
  tape: AsyncIterator<TapeLine>;
  options: RenormalizeOptions;
}

async function reread(log: Log, run: StoredRun, { runId, header, before, tape, options }: Rereading) {
  const { agent, dialect, stream, cwd, record_thinking, record_tool_input } = header;
  const { task_id, session_id, kind, model } = run;
  let time = run.created_at;
  const acts = actsOf(before);
  const replay = await createReplay(adapterOf(agent, options.adapters), header, runId, {
    retries: retriesOf(before),
    priorTurns: priorTurnsOf(before),
    isEndedByUs: acts.some(({ signal }) => signal?.kind === "fail"),
  });
  const recorder = new Recorder({
    log,
    ...options,
    record_thinking,
    record_tool_input,
    record_tape: false,
    task_id,
    kind,
    renormalized_from_run_id: run.run_id,
    ...(session_id !== undefined && { session_id }),
    now: () => time,
  });
  const request = { prompt: promptOf(before), cwd, approve: "ask" as const, ...(model !== undefined && { model }) };
  await recorder.onStart({ runId, agent, dialect, stream, request });

  const write = async (events: readonly AgentEvent[]) => {
    for (const event of events) recorder.add(event);
    await recorder.drained();
  };
  const actUntil = async (at: number) => {
    for (let act = acts[0]; act && act.at - leadOf(act) <= at; act = acts[0]) {
      acts.shift();
      time = act.at;
      if (act.userInput) recorder.onUserInput(act.userInput);
      await write(replay.act(act));
    }
  };
  try {
    for (let next = await tape.next(); !next.done; next = await tape.next()) {
      await actUntil(next.value.at);
      time = next.value.at;
      await write(replay.line(next.value));
    }
    await actUntil(Number.POSITIVE_INFINITY);
    await write(replay.finish());
  } finally {
    // If the tape cannot be read to its end, the new run is closed as incomplete.
    await recorder.close();
  }
  return recorder.failure;
}

function priorTurnsOf(before: readonly Envelope[]): number | undefined {
  const count = before.find(({ type }) => type === "session.resumed")?.data.prior_turn_count;
  return typeof count === "number" ? count : undefined;
}

function headerOf(first: IteratorResult<TapeLine>, run: StoredRun): TapeHeader {
  const { run_id } = run;
  if (first.done) {
    const why = isOver(run)
      ? "has no tape, so there are no raw lines to read again."
      : "is still running, and its tape is not written yet. Try again after the run has ended.";
    throw new SpoorError("VALIDATION_ERROR", `${run_id} ${why}`);
  }
  const header = readHeader(first.value.text);
  if (!header)
    throw new SpoorError(
      "VALIDATION_ERROR",
      `The tape of ${run_id} has no valid first line, so its agent and dialect are unknown.`,
    );
  return header;
}

function adapterOf(agent: string, adapters: readonly Adapter[] = builtIn): Adapter {
  const adapter = adapters.find(({ name }) => name === agent);
  if (!adapter)
    throw new SpoorError(
      "AGENT_NOT_FOUND",
      `The tape was recorded with the agent "${agent}", but no adapter of this name is registered.`,
    );
  return adapter;
}

/**
 * The envelope that says why Spoor ended a run is stored some milliseconds after the line in which the agent reports its
 * end. So the reason is applied this much earlier; until the agent reports its end, it changes nothing.
 */
const leadOf = ({ signal }: Act): number => (signal?.kind === "fail" ? 250 : 0);

/** Events of other types come from callers and are not on the tape. */
const isOurs = ({ type }: Envelope): boolean => isEnvelopeType(type);

/** Events that thinking causes. When thinking is not recorded, the tape does not contain what causes them. */
const isOfThinking = ({ type, data }: Envelope): boolean =>
  type.startsWith("turn.step_") || (type === "run.stream_fallback" && data.capability === "thinking");

/** Events that do not come from the agent's lines. */
const isFrame =
  /^(run\.(created|queued|started|resumed_from_event|checkpoint_saved)|user\.|gap\.|cost\.budget_|policy\.git_)/;

const newUlid = createUlidSource();

async function allOf(log: Log, run_id: string): Promise<Envelope[]> {
  const envelopes: Envelope[] = [];
  for await (const envelope of readEnvelopes(log, { run_id })) envelopes.push(envelope);
  return envelopes;
}
