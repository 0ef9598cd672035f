import path from "node:path";
import { dataDirectory } from "../../log/open.ts";
import { loadPolicy } from "../../runtime/policy/load.ts";
import type { ModelRewrite, PolicyAction, Verdict } from "../../runtime/policy/types.ts";
import { ExitError } from "../exit-error.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface PolicyCheckOptions extends DataOption {
  read?: string[];
  write?: string[];
  host?: string;
  mcp?: string;
  tool?: string;
  model?: string;
  task?: string;
  agent?: string;
  rule?: string[];
  cwd?: string;
  yolo?: true;
  json?: true;
}

/** The exit code tells the decision, so that a script can use it. */
const exitCodes = { allow: 0, ask: 10, block: 11 };
const DAMAGED = 7;

/** Prints what the rules decide about one action, and why. */
export async function checkPolicy(command: string | undefined, options: PolicyCheckOptions, io: Io): Promise<void> {
  const cwd = path.resolve(options.cwd ?? ".");
  const directory = options.data ?? dataDirectory();
  const policy = await loadPolicy({
    directory,
    cwd,
    ...(options.rule && { task: options.rule }),
    yolo: options.yolo === true,
  });
  const action = actionOf(command, options, cwd);
  const verdict = policy.decide(action);
  const rewritten = action.subject === "model" ? policy.rewriteModel(action.model, action.agent) : undefined;
  if (options.json) printJson(io.stdout, { ...verdict, ...(rewritten && { rewritten }), problems: policy.problems });
  else print(verdict, rewritten, policy.problems, io);
  const code = policy.problems.length > 0 ? DAMAGED : exitCodes[verdict.decision];
  if (code !== 0) throw new ExitError(code);
}

function actionOf(command: string | undefined, options: PolicyCheckOptions, cwd: string): PolicyAction {
  const { agent, tool } = options;
  const common = { cwd, ...(agent !== undefined && { agent }) };
  const withTool = { ...common, ...(tool !== undefined && { tool }) };
  const found: PolicyAction[] = [];
  if (command !== undefined) found.push({ ...withTool, subject: "shell", command });
  if (options.read !== undefined) found.push({ ...withTool, subject: "read", paths: options.read });
  if (options.write !== undefined) found.push({ ...withTool, subject: "write", paths: options.write });
  if (options.host !== undefined) found.push({ ...withTool, subject: "host", host: options.host });
  if (options.mcp !== undefined) found.push({ ...withTool, subject: "mcp", ...mcpOf(options.mcp) });
  if (options.model !== undefined) found.push({ ...common, subject: "model", model: options.model });
  if (options.task !== undefined) found.push({ ...common, subject: "task", kind: options.task });
  if (tool !== undefined && found.length === 0) found.push({ ...common, subject: "tool", name: tool });
  const [action] = found;
  if (action !== undefined && found.length === 1) return action;
  throw new ExitError(
    2,
    'Name exactly one action to check: a command in quotes, --read, --write, --host, --mcp, --tool, --model or --task. Example: `spoor policy check "git push"`',
  );
}

function mcpOf(typed: string): { server: string; name: string } {
  const slash = typed.indexOf("/");
  if (slash > 0) return { server: typed.slice(0, slash), name: typed.slice(slash + 1) };
  throw new ExitError(
    2,
    `--mcp ${terminalSafe(typed)} names no tool. Write the server, a slash and the tool, such as --mcp github/create_issue.`,
  );
}

function print(
  { decision, reason, rule, parts }: Verdict,
  rewritten: ModelRewrite | undefined,
  problems: readonly string[],
  io: Io,
): void {
  const lines = [`${decision}: ${reason}`];
  if (rule?.line !== undefined && rule.source !== "builtin")
    lines.push(`rule: line ${rule.line} of the ${rule.source}'s rules: ${rule.text}`);
  if (rewritten !== undefined) lines.push(`model: ${rewritten.model} (${rewritten.reason})`);
  if (parts.length > 1) {
    lines.push("parts:");
    for (const part of parts)
      lines.push(`  ${part.decision.padEnd(5)}  ${part.text.replaceAll("\n", "↵")}`, `         ${part.reason}`);
  }
  io.stdout.write(lines.map((line) => `${terminalSafe(line)}\n`).join(""));
  for (const problem of problems) io.stderr.write(`${terminalSafe(problem)}\n`);
}
