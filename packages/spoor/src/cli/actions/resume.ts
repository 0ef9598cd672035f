import { existsSync } from "node:fs";
import { adapters } from "../../agents/registry.ts";
import { createSessions } from "../../inventory/sessions/sessions.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { withFullIds } from "../running/full-ids.ts";
import type { RunCommandOptions } from "../running/run-command-options.ts";
import { runAgent } from "./run.ts";

export type ResumeOptions = Omit<RunCommandOptions, "resume" | "fork" | "session" | "cwd"> & {
  fork?: true;
  cwd?: string;
};

/** Continues a session in the directory it was held in, because agents look up sessions by directory. */
export async function resumeSession(
  id: string,
  prompt: string | undefined,
  { fork, ...options }: ResumeOptions,
  io: Io,
): Promise<void> {
  const { agent, nativeId, ...session } = await createSessions({ adapters }).find(id);
  // The id comes from a file name; one that begins with a dash would be read as a flag of the agent.
  if (!/^[\p{L}\p{N}]/u.test(nativeId))
    throw new ExitError(
      8,
      `The session ${terminalSafe(session.id)} cannot be continued: its id does not begin with a letter or a digit.`,
    );
  const cwd = options.cwd ?? session.cwd ?? process.cwd();
  if (!existsSync(cwd)) {
    throw new ExitError(
      2,
      `The session was held in ${terminalSafe(cwd)}, which no longer exists. Name another directory with --cwd.`,
    );
  }
  const which = fork ? { fork: nativeId } : { resume: nativeId };
  const whole = await withFullIds(agent, { ...options, cwd, session: true });
  await runAgent(agent, prompt, { ...whole, ...which }, io);
}
