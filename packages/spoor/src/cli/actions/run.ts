import path from "node:path";
import type { Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AgentEvent } from "@spoor/protocol";
import type { Adapter } from "../../agents/machine.ts";
import { SpoorError } from "../../failures/errors.ts";
import { exitCodeOf } from "../../failures/exit-code.ts";
import { loadAdapter } from "../../inventory/load-adapter.ts";
import { dataDirectory } from "../../log/open.ts";
import { findConfigFolders } from "../../options/config/config-folders.ts";
import { readHooks } from "../../options/config/configuration-files.ts";
import type { Govern } from "../../run/govern.ts";
import type { RunObserver } from "../../run/observer.ts";
import type { Run } from "../../run/run.ts";
import { createRunner, type PreparedRun } from "../../run/runner.ts";
import { mayGovern } from "../../runtime/execution/may-govern.ts";
import type { Judge, RuleOptions } from "../../runtime/execution/rules.ts";
import { ExitError } from "../exit-error.ts";
import { optionsFromFlags } from "../flags/run-flags.ts";
import type { Io } from "../io.ts";
import { withoutAccumulated } from "../output/agent-event-json.ts";
import { jsonFor, printJson, refuseTwoForms } from "../output/json.ts";
import { terminalSafe, terminalSafeLines } from "../output/terminal-safe.ts";
import { answerQuestions } from "../running/answer-questions.ts";
import type { CommandRecording } from "../running/command-recording.ts";
import { createEnvelopePrinter, createEventPrinter, type Printer } from "../running/durable-printer.ts";
import { type Elsewhere, toldText } from "../running/elsewhere.ts";
import { endOnSignals } from "../running/end-on-signals.ts";
import { nobodyThere } from "../running/nobody-there.ts";
import { readPrompt } from "../running/read-prompt.ts";
import { refuseUnwritable, writeResult } from "../running/result-file.ts";
import type { RunCommandOptions } from "../running/run-command-options.ts";
import { endOf, type Form, formOf, gather, REFUSED, refusedText } from "../running/run-output.ts";
import { RunScreen } from "../running/run-screen.ts";
import { type StdoutWatch, watchStdout } from "../running/watch-stdout.ts";

export async function runAgent(
  agent: string,
  prompt: string | undefined,
  options: RunCommandOptions,
  io: Io,
): Promise<void> {
  if (agent === "loop") return (await import("./run-loop.ts")).runLoop(prompt, options, io);
  refuseTwoForms(options);
  const { machineFlag, awaited } = formOf(options);
  if (options.result !== undefined) refuseUnwritable(options.result);
  const asked = await readPrompt(prompt, options.promptFile, io.stdin);
  const adapter = await known(agent);
  const directory = options.data ?? dataDirectory();
  const run = prepare(adapter, asked, options, await governorOf(directory, options));
  if (run.warning !== undefined) io.stderr.write(`${run.warning}\n`);
  const recording = await openRecording(options, awaited, io);
  const say = (text: string) => {
    if (machineFlag === undefined) screen.say(text);
  };
  const elsewhere: Elsewhere = {
    onDecided: (each) => {
      if (machineFlag === undefined) screen.decided(each);
    },
    onTold: (each) => say(toldText(each)),
  };
  const rules = { directory };
  const handle = recording?.execute(run, { onFailure, ...elsewhere, rules }) ?? run.start(unrecorded(rules));
  const screen = new RunScreen(io, handle, {
    ...{ cwd: path.resolve(options.cwd), prompt: asked, isRecorded: recording !== undefined && options.record },
    ...(options.output !== undefined && { output: options.output }),
    ...(options.thinking && { thinking: options.thinking }),
  });
  const stopListening = endOnSignals(handle, () => {
    if (machineFlag === undefined) screen.interrupted();
  });
  const reader = watchStdout(io.stdout, ({ code, message }) => {
    handle.abort();
    // The reader has closed the pipe: that is not an error.
    if (code === "EPIPE") return;
    io.stderr.write(`Cannot write to standard output: ${terminalSafe(message)}. The run is stopped.\n`);
  });
  const printer = createPrinter(options, io.stdout, reader, screen, recording);
  const questions = answerQuestions(handle, io, {
    desk: screen.desk,
    ...(recording && { factsOf: (id) => recording.questionFacts(id) }),
    ...(machineFlag !== undefined && { machineFlag }),
    ...(recording && { durable: () => recording.recorder.written(), hasServer: recording.hasServer }),
  });
  screen.isAnswered = questions.isAnswered;
  if (machineFlag === undefined) screen.start();
  if (recording) recording.recorder.onWritten = (written) => printer.written(written);
  function onFailure({ message }: Error): void {
    if (options.ifUnrecorded === "stop") {
      handle.abort();
      return;
    }
    screen.display.write("stderr", `${terminalSafeLines(message)} The run continues.\n`);
    printer.written({ reached: Number.POSITIVE_INFINITY, receipts: [] });
  }
  try {
    await queueFurther(handle, options, recording);
    for await (const event of handle) {
      printer.event(event);
      // Backpressure: a slow reader or a slow disk slows the agent down instead of filling our memory.
      const drained = reader.drained() ?? printer.drained() ?? recording?.drained();
      if (drained) await drained;
    }
    const result = await handle.result();
    await recording?.close();
    await printer.done();
    // Let the corked output be written before the messages about it.
    await nextTurn();
    if (machineFlag === undefined) screen.end(result.exitReason, await recording?.changes(handle.recordId));
    const outcome = await recording?.end();
    const failure = recording?.recorder.failure;
    const isShown = outcome !== undefined && machineFlag === undefined && !failure && (await screen.hints(directory));
    screen.close();
    if (outcome !== undefined && !isShown && (machineFlag === undefined || failure)) io.stderr.write(`${outcome}\n`);
    const unwritten = options.result === undefined ? undefined : writeResult(options.result, result);
    if (unwritten !== undefined) io.stderr.write(`${unwritten}\n`);
    const code = exitCodeOf(result);
    if (code !== 0) throw new ExitError(code, machineFlag === undefined ? terminalSafeLines(endOf(result)) : "");
    if (unwritten !== undefined || (failure && options.ifUnrecorded === "stop")) throw new ExitError(1);
    if (questions.refused > 0) throw new ExitError(REFUSED, refusedText(questions));
  } finally {
    screen.close();
    reader.release();
    stopListening();
  }
}

async function openRecording(
  options: RunCommandOptions,
  awaited: Form["awaited"],
  { stdin, stderr }: Io,
): Promise<CommandRecording | undefined> {
  // The output of --json and the user's hooks are made from the envelopes, also if these are not stored.
  const readers = (options.json ? 1 : 0) + (hasHooks(options) ? 1 : 0);
  if (!options.record && readers === 0) return undefined;
  const { CommandRecording } = await import("../running/command-recording.ts");
  const onLockWait = () =>
    stderr.write("Another process has locked the log. The run waits for it; --lock-wait sets for how long.\n");
  const isInteractive = !options.json && !options.agentEvents && nobodyThere({ stdin, stderr }) === undefined;
  const all = { ...options, onLockWait, isInteractive, ...(awaited && { awaited }) };
  if (!options.record) return CommandRecording.discarding(all, readers);
  try {
    return await CommandRecording.open(all);
  } catch (error) {
    if (options.ifUnrecorded === "stop" || !(error instanceof ExitError)) throw error;
    stderr.write(`${terminalSafeLines(error.message)}\nThe run continues without being recorded.\n`);
    return readers > 0 ? CommandRecording.discarding(all, readers) : undefined;
  }
}

function hasHooks({ cwd }: RunCommandOptions): boolean {
  const hooks = readHooks(findConfigFolders({ cwd, environment: process.env }));
  return Object.values(hooks).some((list) => list.length > 0);
}

function createPrinter(
  options: RunCommandOptions,
  stdout: Writable,
  reader: StdoutWatch,
  screen: RunScreen,
  recording?: CommandRecording,
): Printer {
  const print = (write: () => void) => {
    if (reader.isGone) return;
    gather(stdout);
    write();
  };
  if (options.json && recording) {
    return createEnvelopePrinter((text) => print(() => stdout.write(jsonFor(stdout, text))), recording.readLines);
  }
  const show = options.agentEvents
    ? (event: AgentEvent) => void printJson(stdout, withoutAccumulated(event))
    : (event: AgentEvent) => screen.event(event);
  return createEventPrinter((event) => print(() => show(event)), recording !== undefined);
}

async function known(name: string): Promise<Adapter> {
  const adapter = await loadAdapter(name);
  if (adapter) return adapter;
  const [{ adapters }, { agentNotFound }] = await Promise.all([
    import("../../agents/registry.ts"),
    import("../../inventory/find-agent.ts"),
  ]);
  const found = adapters.find((each) => each.name === name);
  if (found) return found;
  throw agentNotFound(name, [...adapters.map((each) => each.name), "loop"]);
}

/** Rules also hold for a run that is not recorded. */
const unrecorded =
  (rules: RuleOptions): (() => RunObserver) =>
  () => {
    let judge: Promise<Judge> | undefined;
    return {
      async onStart(start) {
        if (!start.isGated) return;
        judge = import("../../runtime/execution/rules.ts").then(({ createJudge }) => createJudge(rules, start));
        await judge;
      },
      judge: async (question) => (await judge)?.(question) ?? { decision: "ask" },
    };
  };

/** The rules are loaded only if there are some. */
async function governorOf(directory: string, { cwd }: RunCommandOptions): Promise<Govern | undefined> {
  const { global } = findConfigFolders({ cwd, environment: process.env });
  if (!mayGovern(directory, global, cwd)) return undefined;
  const { createGovernor } = await import("../../runtime/execution/govern.ts");
  return createGovernor({ directory });
}

function prepare(
  adapter: Adapter,
  prompt: string,
  options: RunCommandOptions,
  govern: Govern | undefined,
): PreparedRun {
  try {
    const runner = createRunner([adapter], { debug: options.debug === true, ...(govern && { govern }) });
    return runner.prepare({ ...optionsFromFlags(options), agent: adapter.name, prompt });
  } catch (error) {
    const isMissing = error instanceof SpoorError && error.code === "AGENT_NOT_INSTALLED";
    if (!isMissing || options.command !== undefined) throw error;
    const elsewhere = "If it is installed somewhere else, name the program with --command.";
    throw new SpoorError(error.code, `${error.message}\n${elsewhere}`, { cause: error });
  }
}

/** Queues the prompts of --queue. If the agent does not accept them, the run is aborted. */
async function queueFurther(
  handle: Run,
  { queue = [] }: RunCommandOptions,
  recording?: CommandRecording,
): Promise<void> {
  try {
    for (const further of queue) handle.queue(further);
  } catch (error) {
    handle.abort();
    await handle.result();
    await recording?.end();
    throw error;
  }
}
