import type { Dialect, LaunchRequest } from "../agents/machine.ts";
import type { AssemblerOptions } from "./assembler.ts";
import type { Estimate } from "./prices.ts";
import type { IsRetried } from "./retry-gate.ts";
import type { EstimateMoment } from "./spending.ts";

export interface WireReaderOptions extends Pick<AssemblerOptions, "agent" | "runId" | "cwd" | "stream" | "debug"> {
  /** Returns the time in epoch milliseconds. */
  now: () => number;
  /** Returns a float in [0, 1), for ids. */
  random: () => number;
  dialect: Dialect;
  /** What happens to actions that need permission. Unknown for recordings. */
  approve?: LaunchRequest["approve"];
  /** Tapes of old versions contain this field instead of `approve`. */
  mayAsk?: boolean;
  /** Whether Spoor's rules decide about questions before a person is asked. */
  isGated?: boolean;
  noSession?: boolean;
  resumed?: boolean;
  forkedFrom?: string;
  /** Turns that the session had before this run, once they are known. */
  priorTurns?: () => number | undefined;
  /** List prices, once they are loaded. */
  prices?: () => Estimate | undefined;
  /**
   * When prices are used for a dialect whose agent reports its cost itself: its first report may come late. Absent: never.
   * For dialects that report tokens but no cost they are always used.
   */
  estimates?: EstimateMoment;
  /** Absent: nothing is retried. */
  isRetried?: IsRetried;
  /**
   * Whether somebody is known to have ended the run. If so, an interruption that the agent reports does not count as a
   * crash.
   */
  isInterruptionExpected?: boolean;
  /**
   * Whether only the agent's output is known, and not whether somebody stopped the agent. In that case a process that ends
   * in the middle of a prompt did not necessarily crash: the recording may have been cut.
   */
  isRecording?: boolean;
}

export function assemblerOptions(options: WireReaderOptions): AssemblerOptions {
  const { agent, dialect, runId, cwd, stream, debug, now, random } = options;
  const { noSession, resumed, forkedFrom, priorTurns, prices } = options;
  return {
    agent,
    stream,
    streams: dialect.streams,
    now,
    random,
    ...approvalOptions(options),
    ...(runId !== undefined && { runId }),
    ...(cwd !== undefined && { cwd }),
    ...(debug && { debug }),
    ...(noSession && { noSession }),
    ...(resumed && { resumed }),
    ...(forkedFrom !== undefined && { forkedFrom }),
    ...(priorTurns && { priorTurns }),
    ...(prices && pricing(dialect, prices, options.estimates)),
  };
}

function pricing(
  { tokensOnly }: Dialect,
  estimate: () => Estimate | undefined,
  estimateAt: EstimateMoment | undefined,
): Pick<AssemblerOptions, "estimate" | "estimateAt" | "costIncludesSubagents"> {
  if (tokensOnly) return { estimate };
  return estimateAt ? { estimate, estimateAt, costIncludesSubagents: true } : {};
}

/** In a run that denies everything, the calls of every dialect may be denied. */
function approvalOptions({
  dialect: { canAsk, asksInAuto },
  approve,
  mayAsk = true,
}: WireReaderOptions): Pick<AssemblerOptions, "canAsk" | "approve"> {
  if (approve === undefined) return { canAsk: canAsk && mayAsk };
  return { approve, canAsk: approve === "deny" || (canAsk && (approve === "ask" || asksInAuto === true)) };
}
