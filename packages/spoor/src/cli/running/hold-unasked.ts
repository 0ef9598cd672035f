import { readFileSync } from "node:fs";
import path from "node:path";
import type { Adapter } from "../../agents/machine.ts";
import { dataDirectory } from "../../log/open.ts";
import { optionsFromFlags } from "../flags/run-flags.ts";
import type { RunCommandOptions } from "./run-command-options.ts";

/**
 * Decides whether a run under --approve auto is started so that the agent asks, because the user has rules that block
 * something. Nobody is asked then: what no rule blocks is allowed. An agent that cannot be asked cannot be held to rules.
 */
export function holdUnasked(adapter: Adapter, options: RunCommandOptions): { isHeld: boolean; warning?: string } {
  const { approve, dialect: name } = optionsFromFlags(options);
  if ((approve !== "auto" && approve !== "yolo") || !hasBlockRules(options)) return { isHeld: false };
  const canAsk = adapter.dialects.some(
    (dialect) => dialect.canAsk && dialect.live && (name === undefined || dialect.name === name),
  );
  if (canAsk) return { isHeld: true };
  const warning = `${adapter.name} acts without asking, so your rules that block something cannot hold it. \`spoor agents\` lists the agents that can be asked.`;
  return { isHeld: false, warning };
}

function hasBlockRules({ data = dataDirectory(), cwd }: RunCommandOptions): boolean {
  return [path.join(data, "policy.rules"), path.join(cwd, ".spoor", "policy.rules")].some((file) => {
    try {
      return /(^|;)\s*(always\s+)?block\s/m.test(readFileSync(file, "utf8"));
    } catch {
      return false;
    }
  });
}
