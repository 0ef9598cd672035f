import type { Readable, Writable } from "node:stream";
import type { Adapter } from "../../agents/machine.ts";
import { errorTable } from "../../mux/error-table.ts";
import { loadAdapter } from "../../mux/load-adapter.ts";
import type { RunObserver } from "../../mux/observer.ts";
import type { RunHandle } from "../../mux/run-handle.ts";
import type { RunResult } from "../../mux/run-result.ts";
import { createRunner } from "../../mux/runner.ts";
import { counted } from "../counted.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { printed } from "../printed.ts";
import { createRenderer } from "../render.ts";
import { createLateObserver, type LateObserver } from "../running/late-observer.ts";
import { optionsOf, type RunCommandOptions } from "../running/options.ts";
import { answerQuestions, type Questions } from "../running/questions.ts";
import { watchReader } from "../running/reader.ts";
import type { Recording } from "../running/recording.ts";
import { refuseUnwritable, writeResult } from "../running/result-file.ts";
import { endOnSignals } from "../running/signals.ts";
import { visibleLines } from "../visible.ts";

export async function runAgent(
  agent: string,
  prompt: string | undefined,
  options: RunCommandOptions,
  io: Io,
): Promise<void> {
  if (options.result !== undefined) refuseUnwritable(options.result);
  const asked = prompt === undefined || prompt === "-" ? await readAll(io.stdin) : prompt;
  const late = options.record ? createLateObserver() : undefined;
  const handle = start(await known(agent), asked, options, late?.observer);
  const stopListening = endOnSignals(handle);
  const reader = watchReader(io.stdout, () => handle.abort());
  const questions = answerQuestions(handle, io, { ...(options.json && { machineFlag: "--json" }) });
  const render = options.json ? undefined : createRenderer(io.stdout);
  try {
    const recording = late && (await startRecording(options, handle, late));
    if (recording) late.attach(recording.recorder);
    for await (const event of handle) {
      if (!reader.isGone) {
        gather(io.stdout);
        if (render) render(event);
        else printJson(io.stdout, printed(event));
      }
      // A reader that is slow slows the agent, instead of filling our memory; so does a disk.
      const read = reader.room();
      if (read) await read;
      const room = recording?.room();
      if (room) await room;
    }
    const result = await handle.result();
    const told = await recording?.end();
    if (told !== undefined && (!options.json || recording?.recorder.failure)) io.stderr.write(`${told}\n`);
    const unwritten = options.result === undefined ? undefined : writeResult(options.result, result);
    if (unwritten !== undefined) io.stderr.write(`${unwritten}\n`);
    const code = exitCode(result);
    if (code !== 0) throw new ExitError(code, options.json ? "" : visibleLines(endOf(result)));
    if (unwritten !== undefined || recording?.recorder.failure) throw new ExitError(1);
    if (questions.refused > 0) throw new ExitError(REFUSED, refusedText(questions));
  } finally {
    reader.release();
    stopListening();
  }
}

async function readAll(stream: Readable): Promise<string> {
  const { text } = await import("node:stream/consumers");
  return text(stream);
}

/** What is written in one turn of the event loop goes out in one piece: a call of the system for each event costs more than the event. */
function gather(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** The agent starts meanwhile. What cannot be recorded is not done either. */
async function startRecording(options: RunCommandOptions, handle: RunHandle, late: LateObserver): Promise<Recording> {
  try {
    const { Recording } = await import("../running/recording.ts");
    const recording = await Recording.open(options, late.now);
    recording.recorder.onFailure = () => handle.abort();
    return recording;
  } catch (error) {
    handle.abort();
    await handle.result();
    throw error;
  }
}

async function known(name: string): Promise<Adapter> {
  const adapter = await loadAdapter(name);
  if (adapter) return adapter;
  const [{ adapters }, { findAgent }] = await Promise.all([
    import("../../agents/registry.ts"),
    import("../../mux/find-agent.ts"),
  ]);
  return findAgent(adapters, name);
}

function start(adapter: Adapter, prompt: string, options: RunCommandOptions, observer?: RunObserver): RunHandle {
  const runner = createRunner([adapter], { debug: options.debug === true });
  const handle = runner.run(optionsOf(adapter.name, prompt, options), observer);
  for (const further of options.queue ?? []) handle.queue(further);
  return handle;
}

/** The agent did what it could, but was refused something that nobody was there to decide. */
const REFUSED = 17;

const refusedText = ({ refused, nobody }: Questions): string =>
  `${counted(refused, "question")} of the agent ${refused === 1 ? "was" : "were"} refused. ${nobody}`;

function endOf({ exitReason, error }: RunResult): string {
  if (exitReason === "turn_limit") return "The run is out of turns.";
  return error?.message.trimEnd() ?? `The run was ${exitReason}.`;
}

/** One for each outcome, so that a script can tell them apart. */
function exitCode({ exitReason, error }: RunResult): number {
  if (exitReason === "completed") return 0;
  if (exitReason === "interrupted") return 130;
  if (exitReason === "turn_limit") return 16;
  return errorTable[exitReason === "aborted" ? "ABORTED" : (error?.code ?? "INTERNAL")].exitCode;
}
