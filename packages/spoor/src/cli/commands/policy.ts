import type { Command } from "commander";
import type { PolicyCheckOptions } from "../actions/policy-check.ts";
import type { TrustOptions } from "../actions/trust.ts";
import type { Io } from "../io.ts";
import { withData } from "./shared-arguments.ts";

/** The commands about rules: what a policy decides, and which projects may widen it. */
export function registerPolicy(program: Command, io: Io): void {
  const policy = program
    .command("policy")
    .summary("explain what the rules allow")
    .description("Explains what the rules of policy.rules allow. docs/policy.md describes them.");

  withData(policy.command("check"))
    .summary("say what the rules decide about an action, and why")
    .description(
      "Says what the rules decide about a command or another action, which rule decides, and how every part of it is judged. " +
        "It runs nothing. Exit code 0: allow. 10: ask. 11: block. 7: a file of rules cannot be read.\n\n" +
        'Example: `spoor policy check "git push && rm -rf build"`',
    )
    .argument("[command]", "a shell command, in quotes")
    .option("--read <path>", "reading this file instead of a command", collect)
    .option("--write <path>", "writing this file", collect)
    .option("--host <host>", "reaching this host, such as example.com:443")
    .option("--mcp <server/tool>", "calling this tool of an MCP server")
    .option("--tool <name>", "using this tool of an agent; beside a command or path, the tool that does it")
    .option("--model <model>", "using this model")
    .option("--task <kind>", "starting a task of this kind: agent, agent_loop, shell, git or file")
    .option("--agent <name>", "the agent that would do it, for rules with agent=")
    .option("--rule <line>", "add a rule, as a task would; can be repeated", collect)
    .option("--cwd <dir>", "the workspace (default: the current folder)")
    .option("--yolo", "decide as for a run with --yolo")
    .option("--json", "print the decision as JSON")
    .action(async (command: string | undefined, options: PolicyCheckOptions) =>
      (await import("../actions/policy-check.ts")).checkPolicy(command, options, io),
    );

  withData(program.command("trust"))
    .summary("let a project's policy.rules allow things")
    .description(
      "Lets the allow and rewrite lines of a project's .spoor/policy.rules count. Without this, the file can only make the policy stricter. " +
        "The trust ends when the file changes. It prints the rules first, so read them.",
    )
    .argument("[path]", "the project's folder, or its file of rules (default: the current folder)")
    .option(
      "--list",
      "list the files that you trust, and whether they have changed since, and the MCP servers that you approved",
    )
    .option("--revoke", "no longer trust the file")
    .option("--forget <server>", "forget that you approved an MCP server, so that the next run with it asks again")
    .option("--json", "print the result as JSON")
    .action(async (path: string | undefined, options: TrustOptions) =>
      (await import("../actions/trust.ts")).trust(path, options, io),
    );
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];
