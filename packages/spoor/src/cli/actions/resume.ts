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

/** Goes on where the session was held: agents look for it by directory. */
export async function resumeSession(
  id: string,
  prompt: string | undefined,
  { fork, ...options }: ResumeOptions,
  io: Io,
): Promise<void> {
  const { agent, nativeId, ...session } = await createSessions({ adapters }).find(id);
  // The name of a file is not to be taken for an option.
  if (!/^[\p{L}\p{N}]/u.test(nativeId))
    throw new ExitError(8, `There is no going on with ${terminalSafe(session.id)}.`);
  const cwd = options.cwd ?? session.cwd ?? process.cwd();
  if (!existsSync(cwd)) {
    throw new ExitError(
      2,
      `The session was held in ${terminalSafe(cwd)}, which is gone. Say where to go on with --cwd.`,
    );
  }
  const which = fork ? { fork: nativeId } : { resume: nativeId };
  const whole = await withFullIds(agent, { ...options, cwd, session: true });
  await runAgent(agent, prompt, { ...whole, ...which }, io);
}
