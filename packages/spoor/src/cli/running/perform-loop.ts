import { setImmediate as nextTurn } from "node:timers/promises";
import type { AgentEvent } from "@spoor/protocol";
import { exitCodeOf } from "../../failures/exit-code.ts";
import { envelopesIn } from "../../log/envelopes.ts";
import { LogError } from "../../log/errors.ts";
import type { Piece } from "../../log/log.ts";
import { openLog } from "../../log/open.ts";
import { loopAdapter } from "../../loop/adapter.ts";
import { createLoopPerformer, type OpenedLog } from "../../loop/door/performer.ts";
import { createTemporaryLog, type TemporaryLog } from "../../loop/door/temporary-log.ts";
import { loop } from "../../loop/loop-kind.ts";
import type { Run } from "../../run/run.ts";
import type { RunResult } from "../../run/run-result.ts";
import { createRunner, type RunOptions } from "../../run/runner.ts";
import { principalOf } from "../../runtime/execution/principal.ts";
import { findSocket } from "../../runtime/relay/socket-file.ts";
import type { TaskSpec } from "../../runtime/specification/spec.ts";
import { TaskError } from "../../runtime/tasks/task-error.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { withoutAccumulated } from "../output/agent-event-json.ts";
import { jsonFor, printJson } from "../output/json.ts";
import { terminalSafe, terminalSafeLines } from "../output/terminal-safe.ts";
import type { ViewOptions } from "../render/view-options.ts";
import { answerQuestions, type QuestionOptions, type Questions } from "./answer-questions.ts";
import { endOnSignals } from "./end-on-signals.ts";
import { questionFactsOf } from "./question-facts.ts";
import { endOf, formOf, gather, REFUSED, refusedText } from "./run-output.ts";
import { RunScreen } from "./run-screen.ts";
import { watchStdout } from "./watch-stdout.ts";
import { taskExitCodes } from "./with-tasks.ts";

export interface LoopCommand {
  options: Omit<RunOptions, "agent">;
  /** Further fields of the task. */
  task?: Partial<TaskSpec>;
  directory: string;
  record: boolean;
  json?: true;
  agentEvents?: true;
  debug?: true;
  lockWait?: number;
  /** What is shown of the run. */
  view?: ViewOptions;
  /** Answers questions. Default: the person at the terminal does, or a server's user. */
  answer?(handle: Run, options: QuestionOptions): Questions;
}

export interface PerformedLoop {
  result: RunResult;
  run_id: string;
  /** Throws if the run did not complete, with the exit code and the reason. */
  requireCompleted(): void;
}

/** Performs a run of our loop in this process, and shows it like a run of any other agent. */
export async function performLoop(command: LoopCommand, io: Io): Promise<PerformedLoop> {
  const { options, directory, record, json, agentEvents, debug = false } = command;
  const { machineFlag } = formOf({ ...(json && { json }), ...(agentEvents && { agentEvents }) });
  const temporary = record ? undefined : createTemporaryLog(directory);
  const by = principalOf("cli");
  let refusal: Error | undefined;
  let store: OpenedLog | undefined;
  const performer = createLoopPerformer({
    ...{ kind: loop, name: "cli", by, onPiece },
    open: async () => {
      store = await openStore(command, temporary, io);
      return store;
    },
    onRefused: (error) => {
      refusal = error;
    },
    ...(command.task && { task: command.task }),
  });
  const runner = createRunner([loopAdapter], { debug, performers: { loop: performer } });
  const handle = runner.run({ ...options, agent: "loop" });
  const stopListening = endOnSignals(handle, () => {
    if (machineFlag === undefined) screen.interrupted();
  });
  const reader = watchStdout(io.stdout, ({ code, message }) => {
    handle.abort();
    // The reader has closed the pipe: that is not an error.
    if (code === "EPIPE") return;
    io.stderr.write(`Cannot write to standard output: ${terminalSafe(message)}. The run is stopped.\n`);
  });
  const { cwd, prompt } = options;
  const asked = typeof prompt === "string" ? prompt : prompt.join("\n");
  const screen = new RunScreen(io, handle, { cwd, prompt: asked, isRecorded: record, ...command.view });
  const show = agentEvents
    ? (event: AgentEvent) => void printJson(io.stdout, withoutAccumulated(event))
    : (event: AgentEvent) => screen.event(event);
  const questionOptions = {
    desk: screen.desk,
    hasServer: record && findSocket(directory) !== undefined,
    factsOf: async (id: string) => store && questionFactsOf(store.log.rows, id),
    ...(machineFlag !== undefined && { machineFlag }),
  };
  const questions = (command.answer ?? answer)(handle, questionOptions);
  function answer(handle: Run, options: QuestionOptions): Questions {
    return answerQuestions(handle, io, options);
  }
  screen.isAnswered = questions.isAnswered;
  if (machineFlag === undefined) screen.start();
  function print(write: () => void): void {
    if (reader.isGone) return;
    gather(io.stdout);
    write();
  }
  function onPiece(piece: Piece): Promise<unknown> | undefined {
    if (json) print(() => io.stdout.write(jsonFor(io.stdout, piece.bytes.toString())));
    else if (machineFlag === undefined) tellDecisions(piece, by, screen);
    return reader.drained();
  }
  try {
    for await (const event of handle) {
      if (!json) print(() => show(event));
      const drained = reader.drained();
      if (drained) await drained;
    }
    const result = await handle.result();
    if (refusal) throw refusalOf(refusal);
    // Let the corked output be written before the messages about it.
    await nextTurn();
    if (machineFlag === undefined) screen.end(result.exitReason);
    const isShown = machineFlag !== undefined || !record || (await screen.hints(directory));
    screen.close();
    if (!isShown) io.stderr.write(`Recorded as ${handle.recordId}.\n`);
    return {
      result,
      run_id: handle.recordId,
      requireCompleted() {
        // The run ended because nobody could be asked.
        if (questions.refused > 0) throw new ExitError(REFUSED, refusedText(questions));
        const code = exitCodeOf(result);
        if (code !== 0) throw new ExitError(code, machineFlag === undefined ? terminalSafeLines(endOf(result)) : "");
      },
    };
  } finally {
    screen.close();
    reader.release();
    stopListening();
    temporary?.remove();
  }
}

/** Opens the log in which the run is stored. Other processes, such as a server, use it at the same time. */
async function openStore(
  { directory, lockWait }: LoopCommand,
  temporary: TemporaryLog | undefined,
  { stderr }: Io,
): Promise<OpenedLog> {
  if (temporary) return temporary.open();
  const onLockWait = () =>
    stderr.write("Another process has locked the log. The run waits for it; --lock-wait sets for how long.\n");
  const log = await openLog({ directory, onLockWait, ...(lockWait !== undefined && { lockWaitMs: lockWait }) });
  return { log, directory, release: () => log.close() };
}

/** Why no run was made. */
function refusalOf(error: Error): Error {
  if (error instanceof TaskError) return new ExitError(exitCodes[error.code] ?? 1, terminalSafe(error.message));
  if (error instanceof LogError) return new ExitError(1, `${terminalSafe(error.message)} ${error.hint}`);
  return error;
}

const exitCodes: typeof taskExitCodes = { ...taskExitCodes, not_supported: 6 };

/** Says who decided, if somebody else did. */
function tellDecisions(piece: Piece, own: string, screen: RunScreen): void {
  if (piece.eventTypes && !piece.eventTypes.has("approval.resolved")) return;
  for (const { type, data } of envelopesIn(piece)) {
    const { approval_id, by, decision, comment } = data as Record<string, string | undefined>;
    if (type !== "approval.resolved" || approval_id === undefined || by === undefined) continue;
    if (by === own || by === "headless" || (decision !== "approved" && decision !== "rejected")) continue;
    const decided = { approval_id, decision, by, ...(comment !== undefined && { comment }) } as const;
    screen.decided(decided);
  }
}
