import { createDecoder } from "@spoor/protocol";
import type { Log, Piece } from "../../log/log.ts";
import { type FollowQuery, follow } from "../history/follow.ts";
import { envelopesOf, lineOf, matchTypes, write } from "../history/lines.ts";
import { type DataOption, findRun, withLog } from "../history/open.ts";
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
      for await (const piece of follow(log, { ...(await queryOf(log, said, options)), signal: stopped.signal })) {
        await show(piece);
      }
    } finally {
      process.off("SIGINT", stop);
    }
  });
}

async function queryOf(log: Log, said: string | undefined, options: TailOptions): Promise<FollowQuery> {
  const { type, agent, task, after } = options;
  const match = matchTypes(type);
  return {
    ...(said === undefined ? { after: after ?? log.lastPosition } : { run_id: (await findRun(log, said)).run_id }),
    ...(said !== undefined && after !== undefined && { after }),
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
