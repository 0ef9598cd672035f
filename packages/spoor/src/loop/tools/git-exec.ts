import { Type } from "@sinclair/typebox";
import { findGit } from "../../runtime/workspace/git-program.ts";
import { type BuiltInTool, defineTool, inputOf, ToolProblem } from "./kit/define-tool.ts";
import { quietVariables, safeArguments } from "./kit/git-settings.ts";
import {
  checkFolder,
  DEFAULT_TIMEOUT_MS,
  folderOf,
  MAX_TIMEOUT_MS,
  runCommand,
  sandboxFields,
} from "./kit/run-command.ts";
import { commandInput, hostActions, whereOf } from "./shell-exec.ts";

/** Runs git without a shell. */
export const gitExec: BuiltInTool = defineTool({
  name: "git_exec",
  kind: "shell",
  effect: "effect",
  description:
    'Runs git in the workspace and returns its output. `args` are its arguments, beginning with the subcommand: ["commit", "-m", "a message"]. No shell splits them. Hooks, pagers, editors, filters and questions are off.',
  about: {
    does: "runs git without a shell",
    limits: `${DEFAULT_TIMEOUT_MS / 1000} s, or up to ${MAX_TIMEOUT_MS / 1000} s if the model asks; 10 MiB of output`,
    rules: "`git`, or `shell` with `git` as its first word; `host` for each host",
  },
  input: inputOf({
    args: Type.Array(Type.String({ maxLength: 65_536 }), { minItems: 1, maxItems: 256, description: "The arguments." }),
    ...commandInput,
  }),
  actions({ args, cwd, hosts = [] }, place) {
    const folder = folderOf(place, cwd);
    return [
      { subject: "git", command: lineOf(args), cwd: folder, tool: "git_exec" },
      ...hostActions(hosts, folder, "git_exec"),
    ];
  },
  async describe(input, place) {
    return { summary: `Run git${whereOf(place, input)}`, detail: lineOf(input.args) };
  },
  held: ({ hosts = [] }, sandbox) => sandboxFields(hosts.length > 0, sandbox),
  async run({ args, cwd, timeout_ms = DEFAULT_TIMEOUT_MS, hosts = [] }, context) {
    const [subcommand = "", ...rest] = args;
    if (!/^[a-z][a-z0-9-]*$/.test(subcommand))
      throw new ToolProblem(`The first of args must be a subcommand of git, such as "status", not "${subcommand}".`);
    if (args.some((each) => each.includes("\0"))) throw new ToolProblem("An argument holds a NUL character.");
    const folder = folderOf(context, cwd);
    checkFolder(context, folder);
    const program = findGit(context.root, context.environment);
    if (program === undefined) throw new ToolProblem("git is not installed here.");
    const safe = await safeArguments(program, folder, subcommand, rest);
    return runCommand(
      {
        ...{ argv: ["git", ...args], line: lineOf(args), started: [program, ...safe.args], isGit: safe.isGitAlone },
        ...{ cwd: folder, env: quietVariables, timeoutMs: timeout_ms, network: hosts.length > 0 },
      },
      context,
    );
  },
});

const lineOf = (args: readonly string[]): string => ["git", ...args.map(quoted)].join(" ");

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
