import path from "node:path";
import { unprefixed } from "@spoor/protocol/ids";
import { followLinks, isInside } from "../../../runtime/policy/paths.ts";
import { type CommandEnd, MAX_OUTPUT_BYTES, spawnCommand } from "../../../runtime/queue/spawn-command.ts";
import { type PlainCommand, type Sandbox, type SandboxedCommand, SandboxRefusal } from "../../sandbox/sandbox.ts";
import type { ToolContext, ToolPlace, ToolResult } from "../tool.ts";
import { ToolProblem } from "./define-tool.ts";
import { OutputBatches } from "./output-batches.ts";
import { StartGate } from "./start-gate.ts";

/** How long a command may run if the model does not say, and at most. */
export const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;

/** A command of a call. */
export interface CallCommand {
  /** What is told and shown. */
  argv: readonly [string, ...string[]];
  line: string;
  /** What is started, if that is more than what is told. */
  started?: readonly [string, ...string[]];
  /** A folder inside the workspace. */
  cwd: string;
  env?: Readonly<Record<string, string>>;
  timeoutMs: number;
  network: boolean;
  isGit?: boolean;
}

/** Runs a command of a call in the run's sandbox. If the sandbox refuses it, nothing is told of a command. */
export async function runCommand(command: CallCommand, context: ToolContext): Promise<ToolResult> {
  const { callId: id, signal } = context;
  const sandbox = await context.sandbox();
  signal.throwIfAborted();
  const { argv, started = argv, cwd, env, network, isGit, timeoutMs } = command;
  const held = wrap(sandbox, { argv: started, cwd, network, ...(env && { env }), ...(isGit && { isGit }) });
  let undone: readonly string[] = [];
  const output = new OutputBatches((stream, text) => context.tell({ signals: [{ kind: "output", id, stream, text }] }));
  const onStart = (): void =>
    context.tell({
      signals: [{ kind: "shell", id, command: command.line, cwd, runs: true }],
      fields: { "tool.shell.command": commandFields(command, sandbox, held) },
    });
  let end: CommandEnd;
  try {
    const gate = new StartGate(held.startMark, onStart, (stream, text) => output.add(stream, text));
    const running = spawnCommand({
      ...{ argv: held.argv, cwd, env: held.env, timeoutMs, mark: unprefixed("run", context.run_id) },
      maxOutputBytes: MAX_OUTPUT_BYTES + (held.startMark?.length ?? 0),
      async onOutput(stream, text) {
        gate.add(stream, text);
      },
    });
    const cancel = (): void => running.stop("cancelled");
    signal.addEventListener("abort", cancel);
    context.controls(running);
    if (signal.aborted) cancel();
    end = await running.ended.finally(() => signal.removeEventListener("abort", cancel));
    output.flush();
    if (!gate.hasStarted) throw notStarted(end, gate.complaint, timeoutMs);
  } finally {
    undone = held.release();
  }
  return resultOf(end, { output, undone, timeoutMs });
}

/** The folder of a command, as an absolute path. Rules judge it: outside the workspace it is blocked. */
export const folderOf = ({ root }: Pick<ToolPlace, "root">, cwd = "."): string => path.resolve(root, cwd);

/** Throws if the folder is not inside the workspace, with all links followed. */
export function checkFolder({ root }: Pick<ToolPlace, "root">, folder: string): void {
  if (isInside(followLinks(folder), followLinks(root))) return;
  throw new ToolProblem(`The folder ${folder} is outside the workspace. Name one relative to the workspace.`);
}

/** What `tool.started` and `tool.invoked` say about how a command is held. */
export const sandboxFields = (network: boolean, { layer }: Sandbox): Readonly<Record<string, unknown>> => ({
  "hecate.sandbox.wrapper.kind": layer,
  "hecate.sandbox.network.enabled": layer === "none" || network,
  "hecate.sandbox.read_only": false,
  "hecate.sandbox.output_limit.bytes": MAX_OUTPUT_BYTES,
});

function wrap(sandbox: Sandbox, command: PlainCommand): SandboxedCommand {
  try {
    return sandbox.wrap(command);
  } catch (error) {
    if (error instanceof SandboxRefusal) throw new ToolProblem(`The sandbox refused the command. ${error.message}`);
    throw error;
  }
}

/** Nothing of the command has run. */
function notStarted(end: CommandEnd, complaint: string, timeoutMs: number): ToolProblem {
  const { error, outcome } = end.stopped || end.signal !== null ? failureOf(end, [], timeoutMs) : {};
  if (error !== undefined) return new ToolProblem(`${error} It had not begun.`, outcome);
  return new ToolProblem(
    `The sandbox refused the command. ${complaint || (end.error?.message ?? "It did not start.")}`,
  );
}

const commandFields = ({ argv, cwd, line, timeoutMs }: CallCommand, { layer }: Sandbox, { env }: SandboxedCommand) => ({
  argv,
  cwd,
  command_string: line,
  env_keys: Object.keys(env).sort(),
  sandbox_layer: layer,
  timeout_ms: timeoutMs,
  "hecate.tool.working_directory": cwd,
  "hecate.tool.timeout_ms": timeoutMs,
});

interface Finished {
  output: OutputBatches;
  undone: readonly string[];
  timeoutMs: number;
}

function resultOf(end: CommandEnd, { output, undone, timeoutMs }: Finished): ToolResult {
  const { code, signal, stopped, durationMs } = end;
  const truncated = stopped === "output_limit";
  const attributes = {
    "hecate.tool.exit_code": code ?? -1,
    "hecate.tool.stdout.bytes": output.bytes.stdout,
    "hecate.tool.stderr.bytes": output.bytes.stderr,
    "hecate.tool.timed_out": stopped === "timed_out",
    "hecate.tool.cancelled": stopped === "cancelled",
    "hecate.tool.output_truncated": truncated,
  };
  const { error, outcome } = failureOf(end, undone, timeoutMs);
  const text = output.text;
  const isTime = stopped === "timed_out" ? { after_ms: timeoutMs } : {};
  return {
    output: text === "" && error === undefined ? "The command ended with exit code 0 and wrote nothing." : text,
    summary: error ?? "exit 0",
    ...(error !== undefined && { error }),
    ...(outcome && { outcome }),
    exitCode: code ?? -1,
    fields: {
      "tool.shell.exited": { signal, truncated, duration_ms: durationMs, ...attributes },
      ...Object.fromEntries(
        ["tool.completed", "tool.failed", "tool.cancelled"].map((type) => [type, { ...attributes }]),
      ),
      "tool.timed_out": { ...isTime, ...attributes },
    },
  };
}

type Failure = Pick<ToolResult, "error" | "outcome">;

function failureOf(end: CommandEnd, undone: readonly string[], timeoutMs: number): Failure {
  const { error, outcome = "failed" } = ownFailure(end, timeoutMs);
  if (undone.length === 0) return error === undefined ? {} : { error, outcome };
  const changed = `The command changed ${undone.join(", ")}, which commands must not change. That was undone.`;
  return { error: error === undefined ? changed : `${error} ${changed}`, outcome };
}

function ownFailure({ code, signal, stopped, error }: CommandEnd, timeoutMs: number): Failure {
  if (stopped === "cancelled" || stopped === "lost") {
    return { error: "The command was cancelled.", outcome: "cancelled" };
  }
  if (stopped === "timed_out") {
    return {
      error: `The command was stopped after ${timeoutMs} ms, its time limit. Set timeout_ms if it needs longer.`,
      outcome: "timed_out",
    };
  }
  if (stopped === "output_limit") {
    return {
      error: `The command was stopped, because it wrote more than ${MAX_OUTPUT_BYTES} bytes.`,
      outcome: "timed_out",
    };
  }
  if (error) return { error: error.message, outcome: "failed" };
  if (signal !== null) return { error: `The command was ended by ${signal}.`, outcome: "failed" };
  return code === 0 ? {} : { error: `The command ended with exit code ${code}.`, outcome: "failed" };
}
