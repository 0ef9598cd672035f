import { isInside } from "../../runtime/policy/paths.ts";
import { commandEnvironment } from "./command-environment.ts";
import { realPathOf } from "./hidden-places.ts";
import { type OpenOptions, type Sandbox, SandboxRefusal } from "./sandbox.ts";

/** Runs commands with all rights of the user, but without keys in their environment. */
export function createNone(
  { environment, root }: OpenOptions,
  { reason, asks }: { reason: string; asks: boolean },
): Sandbox {
  const workspace = realPathOf(root);
  return {
    ...{ layer: "none", reason, asks },
    wrap({ argv, cwd, env }) {
      const folder = realPathOf(cwd);
      if (folder === undefined || workspace === undefined || !isInside(folder, workspace))
        throw new SandboxRefusal(`The folder ${cwd} is not inside the workspace ${root}.`);
      // Nothing keeps the command from the network.
      return {
        argv,
        env: commandEnvironment(environment, { network: true, set: env }),
        network: true,
        release: () => [],
      };
    },
    close() {},
  };
}
