import type { Adapter, Dialect, LaunchRequest } from "../agents/machine.ts";
import { type Assembler, type AssemblerOptions, createAssembler } from "./assembler.ts";
import type { Estimate } from "./prices.ts";

export interface AssembledRun {
  adapter: Adapter;
  dialect: Dialect;
  request: LaunchRequest;
  runId: string;
  stream: "auto" | true | false;
  debug: boolean;
}

/** The assembler for what a run was asked for and the wire it is on. */
export function assemblerOf(
  { adapter, dialect, request, runId, stream, debug }: AssembledRun,
  { estimate, priorTurns }: { estimate(): Estimate | undefined; priorTurns(): number | undefined },
): Assembler {
  return createAssembler({
    agent: adapter.name,
    runId,
    cwd: request.cwd,
    stream,
    streams: dialect.streams,
    ...approvalOf(dialect, request.approve),
    debug,
    ...(request.noSession && { noSession: true }),
    ...(dialect.tokensOnly && { estimate }),
    ...(request.resume !== undefined && { resumed: true, priorTurns }),
    ...(request.fork !== undefined && { forkedFrom: request.fork }),
  });
}

/** What the assembler must know of permission: in a run that refuses everything, any wire's calls may be refused. */
export function approvalOf(
  { canAsk, asksInAuto }: Dialect,
  approve: LaunchRequest["approve"],
): Pick<AssemblerOptions, "canAsk" | "approve"> {
  return { approve, canAsk: approve === "deny" || (canAsk && (approve === "ask" || asksInAuto === true)) };
}
