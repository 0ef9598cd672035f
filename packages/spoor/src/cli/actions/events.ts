import { type FollowQuery, follow } from "../history/follow.ts";
import { envelopesOf, lineOf, matchTypes, write } from "../history/lines.ts";
import { type DataOption, findRun, isWanted, withLog } from "../history/open.ts";
import type { Io } from "../io.ts";

export interface EventsOptions extends DataOption {
  json?: true;
  run?: string;
  type?: string;
  agent?: string;
  task?: string;
  after?: number;
  limit?: number;
}

/** Events that are in the log: JSON lines exactly as they are stored, or a line each for people. */
export function printEvents(options: EventsOptions, io: Io): Promise<void> {
  return withLog(options, async (log) => {
    const { json, run, type, agent, task, after, limit = Number.POSITIVE_INFINITY } = options;
    const found = run === undefined ? undefined : await findRun(log, run);
    if (found && !isWanted(found, options)) return;
    const run_id = found?.run_id;
    const match = matchTypes(type);
    const query: FollowQuery = {
      once: true,
      ...(run_id !== undefined && { run_id }),
      ...(match && { match }),
      ...(agent !== undefined && { agent }),
      ...(task !== undefined && { task_id: task }),
      ...(after !== undefined && { after }),
    };
    let left = limit;
    for await (const piece of follow(log, query)) {
      const lines = piece.bytes.toString().split("\n").slice(0, -1).slice(0, left);
      left -= lines.length;
      if (json) await write(io.stdout, left > 0 ? piece.bytes : `${lines.join("\n")}\n`);
      else {
        const events = envelopesOf(piece).slice(0, lines.length);
        await write(io.stdout, events.map((event) => lineOf(event, run_id === undefined)).join(""));
      }
      if (left <= 0) return;
    }
  });
}
