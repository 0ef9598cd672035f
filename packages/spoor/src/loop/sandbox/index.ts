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
 * Opens the sandbox in which the commands of a run are executed. Where commands cannot be held as they should, it refuses
 * every command; it never runs them otherwise.
 */
export async function openSandbox(options: OpenOptions): Promise<Sandbox> {
  const { choice = "auto", environment, root } = options;
  if (choice === "none") {
    return createNone(options, { reason: "The task or the user gave up the sandbox for commands.", asks: false });
  }
  const found = await probeBubblewrap(environment, root);
  if ("reason" in found) {
    if (choice === "bwrap") return refusing(`Commands must be held by bubblewrap. ${found.reason}`);
    return createNone(options, {
      reason: `There is no sandbox for commands, so a person is asked about each. ${found.reason}`,
      asks: true,
    });
  }
  try {
    return createBubblewrap(found, options);
  } catch (error) {
    if (error instanceof SandboxRefusal) return refusing(error.message);
    throw error;
  }
}

const refusing = (reason: string): Sandbox => ({
  ...{ layer: "bwrap", reason, asks: false },
  wrap() {
    throw new SandboxRefusal(reason);
  },
  close() {},
});
