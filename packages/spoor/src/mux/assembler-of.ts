import { type Assembler, createAssembler } from "./assembler/index.ts";
import type { LiveRunOptions } from "./live-run.ts";
import type { Estimate } from "./prices.ts";

/** The assembler for what a run was asked for and the wire it is on. */
export function assemblerOf(
  { adapter, dialect, request, runId, stream, debug }: LiveRunOptions,
  estimate: () => Estimate | undefined,
): Assembler {
  return createAssembler({
    agent: adapter.name,
    runId,
    cwd: request.cwd,
    stream,
    streams: dialect.streams,
    canAsk: dialect.canAsk && request.approve === "ask",
    debug,
    ...(request.noSession && { noSession: true }),
    ...(dialect.tokensOnly && { estimate }),
    ...(request.resume !== undefined && { resumed: true }),
    ...(request.fork !== undefined && { forkedFrom: request.fork }),
  });
}
