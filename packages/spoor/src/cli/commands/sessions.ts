import type { Command, Option } from "commander";
import type { ResumeOptions } from "../actions/resume.ts";
import type { SessionsOptions } from "../actions/sessions.ts";
import type { ShowSessionOptions } from "../actions/show-session.ts";
import { count } from "../flags/numbers.ts";
import type { Io } from "../io.ts";

const SESSION =
  "the session: `<agent>:<id>`, the agent's own id, a part at the beginning or end of that id that matches only one session, or `last`";

/** The commands for sessions that agents keep themselves: list, show and resume. */
export function registerSessions(program: Command, io: Io): void {
  const sessions = program
    .command("sessions")
    .summary("list the sessions agents keep themselves")
    .description(
      "Lists the sessions that agents keep in their own files, newest first, including those that Spoor did not start.\n" +
        "Continue one: `spoor resume <session> <prompt>`",
    )
    .argument("[agent]", "list only sessions of this agent")
    .option(
      "--search <text>",
      'list only sessions that contain this text, and show where. Example: --search "flaky test"',
    )
    .option("--cwd <dir>", "list only sessions held in this directory")
    .option("--limit <n>", "list at most this many", count("--limit"), 20)
    .option("--json", "print a JSON line for each session")
    .action(async (agent: string | undefined, options: SessionsOptions) =>
      (await import("../actions/sessions.ts")).listSessions(agent, options, io),
    );

  sessions
    .command("show")
    .summary("show the messages of a session")
    .description("Shows the messages and tool calls of a session, and what it cost.")
    .argument("<session>", SESSION)
    .option("--json", "print the session as JSON")
    .option("--markdown", "print the session as Markdown")
    // Commander gives a flag that `sessions` has too to `sessions`, so both are read.
    .action(async (id: string, _: object, command: Command) =>
      (await import("../actions/show-session.ts")).showSession(id, command.optsWithGlobals<ShowSessionOptions>(), io),
    );

  const resume = program
    .command("resume")
    .summary("continue a session of an agent")
    .description("Runs the agent of a session on a new prompt, with everything that the session contains.")
    .argument("<session>", SESSION)
    .argument("[prompt]", "the prompt for the agent; without it, or with -, the prompt is read from standard input")
    .option("--fork", "continue a copy of the session")
    .option("--cwd <dir>", "the directory the agent works in (default: where the session was held)");
  for (const option of optionsOfRun(program)) resume.addOption(option);
  resume.action(async (id: string, prompt: string | undefined, options: ResumeOptions) =>
    (await import("../actions/resume.ts")).resumeSession(id, prompt, options, io),
  );
}

/** The flags of `spoor run`, without those that choose a session or a directory. */
function optionsOfRun(program: Command): readonly Option[] {
  const own = new Set(["--resume", "--fork", "--no-session", "--cwd"]);
  const run = program.commands.find((command) => command.name() === "run");
  return run?.options.filter(({ long }) => !own.has(long ?? "")) ?? [];
}
