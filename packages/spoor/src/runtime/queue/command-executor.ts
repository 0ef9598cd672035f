import { statSync } from "node:fs";
import { unprefixed } from "@spoor/protocol/ids";
import { type Environment, scrubEnvironment } from "../../process/environment.ts";
import { resolveCommand } from "../../process/resolve-command.ts";
import { createLimits } from "../artifacts/index.ts";
import { type CommandChanges, openCommandChanges } from "../changes/command-changes.ts";
import type { RunEvent } from "../commit.ts";
import { type KeptOutput, keepOutput } from "../contents/keep-output.ts";
import { secretsOf } from "../recorder/request-secrets.ts";
import { createRedactor, type Redactor } from "../redaction/index.ts";
import { environmentOf, type TaskSpec } from "../specification/spec.ts";
import { announceCall, callIdOf, type OwnCall } from "./announce-call.ts";
import { CommandOutput } from "./command-output.ts";
import type { Execution, Executor } from "./executor.ts";
import { endOfRun, type OwnRun } from "./own-run.ts";
import { type CommandEnd, MAX_OUTPUT_BYTES, type RunningCommand, spawnCommand } from "./spawn-command.ts";

const CANCELLED = "The command was cancelled.";

/** Performs runs of the kinds `shell` and `git`: one command each, without a model. */
export function createCommandExecutor(environment: NodeJS.ProcessEnv = process.env): Executor {
  return { name: "worker", execute: (execution) => executeCommand(execution, environment) };
}

async function executeCommand(execution: Execution, environment: NodeJS.ProcessEnv): Promise<void> {
  const { log, directory, claim, spec } = execution;
  const { kind } = claim.run;
  const call = { tool_call_id: callIdOf(claim.run), tool_name: kind, kind };
  const cwd = claim.run.workspace_path ?? process.cwd();
  const set = environmentOf(spec, environment);
  const env = commandEnvironment(spec, environment, set);
  const redactor = redactorOf({ ...environment, ...set });
  const argv = argvOf(spec);
  const own = await announceCall(execution, call, {
    ...{ cwd, redactor, environment, data: sandbox },
    detail: lineOf(argv),
    input: { command: spec.command },
  });
  if (!own) return;
  const problem = problemOf(argv, cwd, env);
  if (problem !== undefined) {
    // Nothing was started, so there is neither a command nor its exit.
    const failed = endOfRun("failed", { code: "invalid_task", message: problem });
    await own.end([["tool.failed", { ...call, error: problem }]], failed);
    return;
  }
  const changes = openCommandChanges({
    ...{ cwd, directory, log, call, environment, run: claim.run },
    isShared: spec.workspace?.share === true,
    redact: (text) => redactor.redact(text),
  });
  try {
    await runCommand(execution, own, { call, argv, cwd, env, redactor, changes });
  } finally {
    await changes.close();
  }
}

interface PreparedCommand {
  call: OwnCall;
  argv: readonly [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
  redactor: Redactor;
  changes: CommandChanges;
}

/** Looks at the workspace, runs the command, and writes how it ended and what it changed. */
async function runCommand(execution: Execution, own: OwnRun, prepared: PreparedCommand): Promise<void> {
  const { claim, spec, signal } = execution;
  const { call, argv, cwd, env, redactor, changes } = prepared;
  const started = Promise.withResolvers<RunningCommand | undefined>();
  let command: RunningCommand | undefined;
  let isCancelled = signal.aborted;
  const cancel = (): void => {
    isCancelled = true;
    if (command) command.stop(own.isLost ? "lost" : "cancelled");
    // A snapshot of a large workspace takes a while, and nobody needs it any more.
    else void changes.close();
  };
  const stopListening = own.listen(handlers(started.promise, cancel, own));
  signal.addEventListener("abort", cancel);
  try {
    if (!isCancelled) await changes.before();
    if (isCancelled) return await own.end([["tool.cancelled", { ...call, error: CANCELLED }]], endOfRun("cancelled"));
    const timeoutMs = spec.timeout_ms ?? 0;
    await own.commit([
      ["tool.started", { ...call, ...sandbox }],
      ["tool.shell.command", { tool_call_id: call.tool_call_id, ...commandData(argv, cwd, env, timeoutMs) }],
    ]);
    if (!execution.mayAct()) return;
    const output = new CommandOutput(call.tool_call_id, redactor, (events) => own.commit(events));
    const mark = unprefixed("run", claim.run.run_id);
    const onOutput = (stream: "stdout" | "stderr", text: string) => output.add(stream, text);
    command = spawnCommand({ argv, cwd, env, mark, timeoutMs, onOutput });
    execution.controls(command);
    started.resolve(command);
    if (isCancelled) cancel();
    const end = await command.ended;
    await output.end();
    if (end.stopped === "lost") return;
    const keep = () =>
      keepOutput(execution.directory, output.whole, {
        ...{ run_id: claim.run.run_id, task_id: claim.run.task_id, tool_call_ids: [call.tool_call_id] },
        limits: createLimits(execution.log),
      });
    await writeEnd(own, call, end, { output, timeoutMs, changes, keep });
  } finally {
    started.resolve(undefined);
    stopListening();
    signal.removeEventListener("abort", cancel);
  }
}

const handlers = (started: Promise<RunningCommand | undefined>, cancel: () => void, own: OwnRun) => ({
  cancel,
  async pause() {
    if (!(await started)?.pause()) return false;
    await own.commit([["run.paused", own.told("pause")]], { paused: true });
    return true;
  },
  async unpause() {
    await own.commit([["run.unpaused", own.told("unpause")]], { paused: null });
    return (await started)?.resume() ?? false;
  },
});

interface CommandRecord {
  output: CommandOutput;
  timeoutMs: number;
  changes: CommandChanges;
  /** Keeps a large output. */
  keep(): Promise<KeptOutput>;
}

async function writeEnd(
  own: OwnRun,
  call: OwnCall,
  end: CommandEnd,
  { output, timeoutMs, changes, keep }: CommandRecord,
): Promise<void> {
  const { code, signal, stopped, error, durationMs } = end;
  const { stdout, stderr } = output.bytes;
  const truncated = stopped === "output_limit";
  const attributes = {
    "hecate.tool.exit_code": code ?? -1,
    "hecate.tool.stdout.bytes": stdout,
    "hecate.tool.stderr.bytes": stderr,
    "hecate.tool.timed_out": stopped === "timed_out",
    "hecate.tool.cancelled": stopped === "cancelled",
    "hecate.tool.output_truncated": truncated,
  };
  const exited = {
    tool_call_id: call.tool_call_id,
    exit_code: code ?? -1,
    signal,
    stdout_bytes: stdout,
    stderr_bytes: stderr,
    truncated,
    duration_ms: durationMs,
    ...attributes,
  };
  const shared = { ...call, duration_ms: durationMs, ...attributes };
  const outcome = outcomeOf(end, timeoutMs, error);
  const changed = await changes.after({ isHurried: stopped !== undefined });
  const kept = await keep();
  await own.end(
    [
      ["tool.shell.exited", exited],
      [
        outcome.type,
        {
          ...shared,
          summary: outcome.summary,
          ...outcome.data,
          ...(outcome.type === "tool.completed" && { output: output.tail }),
          ...kept.fields,
        },
      ],
      ...[...kept.drafts, ...changed.drafts].map(({ type, data }): RunEvent => [type, data]),
    ],
    outcome.end,
    // The rows of artifacts follow from their events.
    [...kept.effects, ...changed.effects].filter(({ table }) => table === "blobs"),
  );
}

function outcomeOf({ code, signal, stopped }: CommandEnd, timeoutMs: number, error?: Error) {
  if (stopped === "cancelled") {
    return { type: "tool.cancelled", summary: CANCELLED, data: { error: CANCELLED }, end: endOfRun("cancelled") };
  }
  if (stopped === "timed_out" || stopped === "output_limit") {
    const isTime = stopped === "timed_out";
    const summary = isTime
      ? `The command was stopped after ${timeoutMs} ms, its time limit.`
      : `The command was stopped, because it wrote more than ${MAX_OUTPUT_BYTES} bytes.`;
    const data = { error: summary, ...(isTime && { after_ms: timeoutMs }) };
    const end = endOfRun("failed", { code: isTime ? "timeout" : "output_limit", message: summary });
    return { type: "tool.timed_out", summary, data, end };
  }
  if (code === 0) return { type: "tool.completed", summary: "exit 0", data: {}, end: endOfRun("completed") };
  const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
  const summary = error?.message ?? `The command ${how}.`;
  const end = endOfRun("failed", { code: "command_failed", message: summary });
  return { type: "tool.failed", summary, data: { error: summary }, end };
}

function argvOf({ kind, command }: TaskSpec): readonly [string, ...string[]] {
  const words = typeof command === "string" ? [command] : (command ?? []);
  if (kind === "git") return ["git", ...words];
  return typeof command === "string" ? ["sh", "-c", command] : (words as [string, ...string[]]);
}

function commandEnvironment(
  { kind, pass_env = [] }: TaskSpec,
  environment: NodeJS.ProcessEnv,
  set: Record<string, string>,
): Record<string, string> {
  // Nobody can answer git's questions, so they fail at once.
  const quiet = kind === "git" ? { GIT_TERMINAL_PROMPT: "0" } : {};
  return scrubEnvironment(environment, { allow: pass_env, set: { ...quiet, ...set } });
}

const redactorOf = (environment: Environment): Redactor =>
  createRedactor(secretsOf({ request: { prompt: "", cwd: "", approve: "ask" }, environment }));

function problemOf([program]: readonly [string, ...string[]], cwd: string, env: Environment): string | undefined {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    return `The workspace ${cwd} is not a folder. Create it, or start a task with another workspace.`;
  if (resolveCommand(program, env, process.platform, { cwd }) === undefined)
    return `The program ${program} was not found. Install it, or write its path.`;
  return undefined;
}

const lineOf = (argv: readonly string[]): string =>
  argv[0] === "sh" && argv[1] === "-c" ? (argv[2] ?? "") : argv.join(" ");

const commandData = (argv: readonly string[], cwd: string, env: Environment, timeoutMs: number) => ({
  argv,
  cwd,
  command_string: lineOf(argv),
  env_keys: Object.keys(env).sort(),
  sandbox_layer: "none",
  ...(timeoutMs > 0 && { timeout_ms: timeoutMs, "hecate.tool.timeout_ms": timeoutMs }),
  "hecate.tool.working_directory": cwd,
});

const sandbox = {
  "hecate.sandbox.wrapper.kind": "none",
  "hecate.sandbox.network.enabled": true,
  "hecate.sandbox.read_only": false,
  "hecate.sandbox.output_limit.bytes": MAX_OUTPUT_BYTES,
};
