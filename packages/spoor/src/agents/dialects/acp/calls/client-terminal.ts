import { assignToSubagent } from "../../../kit/subagent-signals.ts";
import type { Signal } from "../../../signal.ts";
import type { Scope } from "../session/scope.ts";

/** A terminal of the client's in which a command of the agent's runs. */
export interface Terminal {
  readonly command: string;
  readonly cwd: string | undefined;
  /** Printed, and not told yet. */
  readonly unreported: { stream: "stdout" | "stderr"; text: string }[];
  /** Shown to the agent so far, in recordings: each time it is shown all there is. */
  shown: string;
  /** Who runs it says what it prints, at once: what is shown is known by then. */
  isLive?: true;
  exitCode?: number;
  call?: { readonly id: string; readonly scope: Scope };
}

/** What it printed, once a call claims it. */
export function outputOf({ call, unreported: untold }: Terminal): Signal[] {
  if (!call) return [];
  const pieces = untold.splice(0).map((piece): Signal => ({ kind: "output", id: call.id, ...piece }));
  return assignToSubagent(call.scope.child, pieces);
}
