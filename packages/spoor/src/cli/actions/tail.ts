import { createDecoder } from "@spoor/protocol";
import type { Log, Piece } from "../../log/log.ts";
import type { RunRecord } from "../../log/records.ts";
import { type FollowQuery, follow } from "../history/follow.ts";
import { envelopesOf, lineOf, matchTypes, write } from "../history/lines.ts";
import { type DataOption, findRun, isWanted, withLog } from "../history/open.ts";
import type { Io } from "../io.ts";
import { createRenderer } from "../render.ts";

export interface TailOptions extends DataOption {
  json?: true;
  type?: string;
  agent?: string;
  task?: string;
  after?: number;
}

/** Follows one run from its start to its end, or everything from now on until it is stopped. */
export function tail(said: string | undefined, options: TailOptions, io: Io): Promise<void> {
  return withLog(options, async (log) => {
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    process.on("SIGINT", stop);
    try {
      const show =
        said === undefined || options.json || options.type ? lines(options, said === undefined, io) : live(io);
      const run = said === undefined ? undefined : await findRun(log, said);
      if (run && !isWanted(run, options)) return;
      for await (const piece of follow(log, { ...queryOf(log, run, options), signal: stopped.signal })) {
        await show(piece);
      }
    } finally {
      process.off("SIGINT", stop);
    }
  });
}

function queryOf(log: Log, run: RunRecord | undefined, options: TailOptions): FollowQuery {
  const { type, agent, task, after } = options;
  const match = matchTypes(type);
  return {
    ...(run === undefined ? { after: after ?? log.lastPosition } : { run_id: run.run_id }),
    ...(run !== undefined && after !== undefined && { after }),
    ...(match && { match }),
    ...(agent !== undefined && { agent }),
    ...(task !== undefined && { task_id: task }),
  };
}

const lines =
  ({ json }: TailOptions, withRun: boolean, io: Io) =>
  (piece: Piece) =>
    write(
      io.stdout,
      json
        ? piece.bytes
        : envelopesOf(piece)
            .map((event) => lineOf(event, withRun))
            .join(""),
    );

/** As `spoor run` shows it. */
function live(io: Io): (piece: Piece) => Promise<void> {
  const decoder = createDecoder();
  const render = createRenderer(io.stdout);
  return async (piece) => {
    for (const envelope of envelopesOf(piece)) {
      const event = decoder.decode(envelope);
      if (event) render(event);
    }
  };
}
