import type { Hook, HookEvent, Hooks } from "../../options/config/hooks.ts";
import { inheritEnvironment } from "../../process/environment.ts";
import { type ProcessHandle, spawnProcess } from "../../process/spawn.ts";
import { ANY, fits, type Glob } from "./glob.ts";
import type { Decision, Verdict } from "./types.ts";

/** What one hook did: the data of a `policy.hook_completed` event. */
export interface HookOutcome {
  hook: HookEvent;
  command: string;
  tool_call_id?: string;
  tool_name?: string;
  outcome: "ok" | "failed" | "timed_out";
  /** What a hook before a call decided. A hook that failed or took too long counts as `ask`. */
  decision?: HookDecision;
  reason?: string;
  exit_code?: number;
  duration_ms: number;
}

/** The answer of a hook. */
export type HookDecision = "allow" | "deny" | "ask";

/** The hooks to run, and the call that they are about. */
export interface RunHooksOptions {
  hook: HookEvent;
  hooks: Hooks;
  /** The envelope as it is stored: `tool.invoked` before a call, the event that ended it afterwards. The hook gets these bytes. */
  envelope: string;
  tool_name: string;
  tool_call_id?: string;
  cwd: string;
  /** Aborting ends the hook's process group. */
  signal?: AbortSignal;
  /** How long a hook may take. Default: ten seconds. */
  timeoutMs?: number;
  environment?: Readonly<Record<string, string | undefined>>;
}

/** What all hooks about a call answered. */
export interface HooksResult {
  /** The strictest answer, or undefined if no hook is about this tool. Only hooks before a call decide. */
  decision: HookDecision | undefined;
  reason: string;
  outcomes: readonly HookOutcome[];
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER = 64 * 1024;

/**
 * Runs the user's hooks about one call, one after the other. The first `deny` ends it.
 *
 * @example
 * const hooks = { PreToolUse: [{ command: ["node", "check.mjs"] }] };
 * const envelope = '{"type":"tool.invoked","data":{"tool_call_id":"call_1","tool_name":"Bash"}}';
 * const { decision } = await runHooks({ hook: "PreToolUse", hooks, envelope, tool_name: "Bash", cwd: process.cwd() });
 */
export async function runHooks(options: RunHooksOptions): Promise<HooksResult> {
  const outcomes: HookOutcome[] = [];
  const wanted = (options.hooks[options.hook] ?? []).filter(({ tool = "*" }) =>
    fits(patternOf(tool), options.tool_name),
  );
  for (const hook of wanted) {
    outcomes.push(await runHook(hook, options));
    if (outcomes.at(-1)?.decision === "deny") break;
  }
  const found = (["deny", "ask", "allow"] as const)
    .map((decision) => outcomes.find((outcome) => outcome.decision === decision))
    .find((outcome) => outcome !== undefined);
  return { decision: found?.decision, reason: found?.reason ?? "", outcomes };
}

/**
 * Joins a verdict and the answer of hooks. A hook can block, ask, or allow what is asked about; it never loosens a block.
 *
 * @example
 * const policy = await loadPolicy({ directory: "data", cwd: process.cwd() });
 * const verdict = policy.decide({ subject: "shell", command: "npm test", cwd: process.cwd() });
 * withHooks(verdict, { decision: "deny", reason: "not now", outcomes: [] }).decision; // "block"
 */
export function withHooks(verdict: Verdict, { decision, reason }: HooksResult): Verdict {
  const meant: Decision | undefined = decision === "deny" ? "block" : decision;
  if (meant === undefined || verdict.decision === "block" || meant === verdict.decision) return verdict;
  const why = reason === "" ? "" : `: ${reason}`;
  const verb = { allow: "allows", ask: "asks about", block: "blocks" }[meant];
  return { ...verdict, decision: meant, policy_id: "hook:PreToolUse", reason: `A hook ${verb} this${why}` };
}

const patternOf = (tool: string): Glob => [...tool].map((char) => (char === "*" ? ANY : char));

async function runHook({ command }: Hook, options: RunHooksOptions): Promise<HookOutcome> {
  const { hook, tool_name, tool_call_id, cwd, signal, timeoutMs = TIMEOUT_MS, environment = process.env } = options;
  const started = performance.now();
  const [program = "", ...args] = typeof command === "string" ? shellFor(command) : command;
  const child = spawnProcess({
    command: program,
    args,
    cwd,
    env: inheritEnvironment(environment),
    stdin: "pipe",
    lingerMs: 0,
    ...(signal && { signal }),
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill();
  }, timeoutMs);
  const [answer, end] = await Promise.all([readAnswer(child), child.exited, feed(child, options.envelope)]);
  clearTimeout(timer);
  const exit_code = end.code ?? (end.signal === null ? undefined : -1);
  const judged = judge(hook, { ...answer, code: end.code, error: end.error, isLate, timeoutMs });
  return {
    hook,
    command: typeof command === "string" ? command : command.join(" "),
    tool_name,
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...judged,
    ...(exit_code !== undefined && { exit_code }),
    duration_ms: Math.round(performance.now() - started),
  };
}

const shellFor = (text: string): string[] =>
  process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c", text] : ["/bin/sh", "-c", text];

/** A hook that reads nothing closes its input, which is no mistake. */
async function feed(child: ProcessHandle, envelope: string): Promise<void> {
  if (child.pid === undefined) return;
  await child.write(envelope.endsWith("\n") ? envelope : `${envelope}\n`);
  child.endInput();
}

async function readAnswer(child: ProcessHandle): Promise<{ stdout: string; stderr: string }> {
  const found = { stdout: "", stderr: "" };
  for await (const { source, line } of child.output) {
    if (found[source].length < MAX_ANSWER) found[source] += `${line}\n`;
  }
  return found;
}

interface HookEnd {
  stdout: string;
  stderr: string;
  code: number | null;
  error: Error | undefined;
  isLate: boolean;
  timeoutMs: number;
}

function judge(
  hook: HookEvent,
  { stdout, stderr, code, error, isLate, timeoutMs }: HookEnd,
): Pick<HookOutcome, "outcome" | "decision" | "reason"> {
  const decides = hook === "PreToolUse";
  const failed = (outcome: "failed" | "timed_out", reason: string) => ({
    outcome,
    ...(decides && { decision: "ask" as const }),
    reason,
  });
  if (isLate) return failed("timed_out", `The hook took longer than ${timeoutMs / 1000} seconds.`);
  if (error !== undefined) return failed("failed", error.message);
  const complaint = stderr.trim().slice(0, 2000);
  if (code === 2 && decides)
    return { outcome: "ok", decision: "deny", reason: complaint || "The hook denied the call (exit code 2)." };
  if (code !== 0)
    return failed(
      "failed",
      `The hook ended with ${code === null ? "a signal" : `exit code ${code}`}${complaint === "" ? "." : `: ${complaint}`}`,
    );
  if (!decides) return { outcome: "ok" };
  // A hook that says nothing has nothing against the call.
  if (stdout.trim() === "") return { outcome: "ok" };
  const answer = parseAnswer(stdout);
  return (
    answer ?? failed("failed", 'The hook answered something else than {"decision":"allow|deny|ask","reason":"…"}.')
  );
}

function parseAnswer(text: string): { outcome: "ok"; decision: HookDecision; reason: string } | undefined {
  try {
    const { decision, reason } = JSON.parse(text) as { decision?: unknown; reason?: unknown };
    if (decision !== "allow" && decision !== "deny" && decision !== "ask") return undefined;
    return { outcome: "ok", decision, reason: typeof reason === "string" ? reason.slice(0, 2000) : "" };
  } catch {
    return undefined;
  }
}
