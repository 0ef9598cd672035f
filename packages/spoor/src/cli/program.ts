import type { Writable } from "node:stream";
import { Command } from "commander";
import { registerAcp } from "./commands/acp.ts";
import { registerAgents } from "./commands/agents.ts";
import { registerApprovals } from "./commands/approvals.ts";
import { registerCheck } from "./commands/check.ts";
import { registerCompletion } from "./commands/completion.ts";
import { registerCost } from "./commands/cost.ts";
import { registerDemo } from "./commands/demo.ts";
import { exampleText } from "./commands/examples.ts";
import { registerHistory } from "./commands/history.ts";
import { registerMaintenance } from "./commands/maintenance.ts";
import { registerMcp } from "./commands/mcp.ts";
import { registerOpen } from "./commands/open.ts";
import { registerParse } from "./commands/parse.ts";
import { registerPatches } from "./commands/patches.ts";
import { registerPolicy } from "./commands/policy.ts";
import { registerRpc } from "./commands/rpc.ts";
import { registerRun } from "./commands/run.ts";
import { registerSchema } from "./commands/schema.ts";
import { registerServe } from "./commands/serve.ts";
import { registerSessions } from "./commands/sessions.ts";
import { registerTasks } from "./commands/tasks.ts";
import { registerWebhooks } from "./commands/webhooks.ts";
import type { Io } from "./io.ts";
import { terminalSafeLines } from "./output/terminal-safe.ts";
import { version } from "./version.ts";

/**
 * Adds commands to the program. `commands/` defines their arguments, flags and help; `actions/` holds what they do and is
 * imported only when a command runs, so that help and other commands start faster.
 */
export type RegisterCommand = (program: Command, io: Io) => void;

/** Every command, in the order in which help shows them. */
export const commands: RegisterCommand[] = [
  registerRun,
  registerDemo,
  registerServe,
  registerOpen,
  registerWebhooks,
  registerAcp,
  registerRpc,
  registerMcp,
  registerApprovals,
  registerTasks,
  registerHistory,
  registerCost,
  registerPatches,
  registerMaintenance,
  registerPolicy,
  registerSessions,
  registerAgents,
  registerParse,
  registerCheck,
  registerSchema,
  // The last one, because it completes what was registered before.
  registerCompletion,
];

/** The headings of help, each above the commands of this function and of those after it. */
const headings: ReadonlyMap<RegisterCommand, string> = new Map([
  [registerRun, "Run agents:"],
  [registerApprovals, "Answer, steer and stop runs:"],
  [registerTasks, "Tasks:"],
  [registerHistory, "Look at runs:"],
  [registerPatches, "Changes of files:"],
  [registerMaintenance, "Maintain the log:"],
  [registerPolicy, "Rules:"],
  [registerSessions, "Agents:"],
  [registerParse, "Events:"],
  [registerCompletion, "Help:"],
]);

/**
 * Creates the command line. It writes to `io` and throws a CommanderError where commander would end the process. Commands
 * after the `wanted` one are not registered, because registering all of them takes time that a single command can save.
 */
export function createProgram(io: Io, available: RegisterCommand[], wanted?: string): Command {
  const program = new Command("spoor")
    .description("One typed, durable, replayable event stream for every coding agent.")
    .version(version())
    .exitOverride()
    // In a narrow terminal, too, words are not broken.
    .configureHelp({ minWidthToWrap: 12 })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(terminalSafeLines(text)),
      outputError: (text, write) =>
        write(EXTRA_WORDS.test(text) ? `${text}Put a prompt of several words in quotes.\n` : text),
      getOutHelpWidth: () => width(io.stdout),
      getErrHelpWidth: () => width(io.stderr),
    });
  for (const register of available) {
    const heading = headings.get(register);
    if (heading !== undefined) program.commandsGroup(heading);
    register(program, io);
    if (program.commands.some((command) => command.name() === wanted)) break;
  }
  program.commandsGroup("Help:").helpCommand("help [command]", "show the help of a command");
  nameHelp(program, "spoor");
  return program;
}

/** The error of commander for a prompt of several words without quotes. */
const EXTRA_WORDS = /^error: too many arguments for '(run|resume)'/;

/** Makes each command name its own help after an error, and adds its examples to that help. */
function nameHelp(command: Command, words: string): void {
  const examples = exampleText(words.replace(/^spoor /, ""));
  if (examples !== "") command.addHelpText("after", examples);
  command.showHelpAfterError(`Run \`${words} --help\` to see the arguments and flags.`);
  for (const one of command.commands) nameHelp(one, `${words} ${one.name()}`);
}

function width(stream: Writable & { columns?: number }): number {
  return stream.columns ?? 80;
}
