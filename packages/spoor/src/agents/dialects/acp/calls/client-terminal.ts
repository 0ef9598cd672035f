import { assignToSubagent } from "../../../kit/subagent-signals.ts";
import type { Signal } from "../../../signal.ts";
import type { Scope } from "../session/scope.ts";

/** A terminal of the client in which a command of the agent runs. */
export interface Terminal {
  readonly command: string;
  readonly cwd: string | undefined;
  /** Output that was printed but not reported yet. */
  readonly unreported: { stream: "stdout" | "stderr"; text: string }[];
  /** The output as the agent last received it, in recordings. Each time the agent receives all of it. */
  shown: string;
  /** The client reports the output as it is printed, so output that is shown to the agent is already known. */
  isLive?: true;
  exitCode?: number;
  call?: { readonly id: string; readonly scope: Scope };
}

/** The unreported output, once a call claims the terminal. */
export function outputOf({ call, unreported: untold }: Terminal): Signal[] {
  if (!call) return [];
  const pieces = untold.splice(0).map((piece): Signal => ({ kind: "output", id: call.id, ...piece }));
  return assignToSubagent(call.scope.child, pieces);
}
