import { specFromOptions } from "../../runtime/specification/from-options.ts";
import { createAndStart, readSpec } from "../../runtime/tasks/index.ts";
import { ExitError } from "../exit-error.ts";
import { optionsFromFlags } from "../flags/run-flags.ts";
import type { Io } from "../io.ts";
import { readPrompt } from "../running/read-prompt.ts";
import type { RunCommandOptions } from "../running/run-command-options.ts";
import { handOver, withTasks } from "../running/with-tasks.ts";

/** `spoor run --detach`: makes a task of the run and lets a worker perform it. */
export async function runDetached(
  agent: string,
  prompt: string | undefined,
  options: RunCommandOptions,
  io: Io,
): Promise<void> {
  const refused = refusedFlags.find(
    ([name]) => options[name] !== undefined && options[name] !== (name === "record" || undefined),
  );
  if (refused)
    throw new ExitError(2, `${refused[1]} does not work with --detach: the run has no terminal. Leave it out.`);
  const asked = await readPrompt(prompt, options.promptFile, io.stdin);
  const { cwd, ...flags } = optionsFromFlags(options);
  const { spec, left } = specFromOptions({ ...flags, agent, prompt: asked });
  if (left.length > 0) throw new ExitError(2, `A detached run does not take ${left.join(", ")}. Leave it out.`);
  const whole = readSpec({ ...spec, workspace: { mode: "in_place", path: cwd ?? process.cwd() } });
  await withTasks(options, async (context) => {
    await handOver(context, await createAndStart(context, whole), options, io);
  });
}

const refusedFlags: readonly [keyof RunCommandOptions, string][] = [
  ["record", "--no-record"],
  ["agentEvents", "--agent-events"],
  ["result", "--result"],
  ["queue", "--queue"],
  ["task", "--task"],
];
