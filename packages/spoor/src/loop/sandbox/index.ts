import { createBubblewrap } from "./bubblewrap.ts";
import { createNone } from "./none.ts";
import { probeBubblewrap } from "./probe.ts";
import { type OpenOptions, type Sandbox, SandboxRefusal } from "./sandbox.ts";

export {
  type OpenOptions,
  type PlainCommand,
  type Sandbox,
  type SandboxChoice,
  type SandboxedCommand,
  SandboxRefusal,
  sandboxChoices,
} from "./sandbox.ts";

/**
 * Opens the sandbox in which the commands of a run are executed.
 *
 * @throws {SandboxRefusal} if bubblewrap is wanted and does not work here, or if the workspace is too wide to be held.
 */
export async function openSandbox(options: OpenOptions): Promise<Sandbox> {
  const { choice = "auto", environment, root } = options;
  if (choice === "none")
    return createNone(options, { reason: "The task or the user gave up the sandbox.", asks: false });
  const found = await probeBubblewrap(environment, root);
  if (!("reason" in found)) return createBubblewrap(found, options);
  if (choice === "bwrap") throw new SandboxRefusal(`The task demands the sandbox bwrap. ${found.reason}`);
  return createNone(options, {
    reason: `${found.reason} Until then a person is asked about every command.`,
    asks: true,
  });
}
