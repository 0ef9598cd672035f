import type { Adapter } from "../../agents/machine.ts";
import type { Surroundings } from "../locate.ts";
import { holding } from "./database.ts";
import { readHead, readWhole } from "./read.ts";
import { createRowFinder } from "./rows.ts";
import { findFiles, type SessionFile } from "./session-files.ts";

/**
 * How many model calls a session of the agent's holds, by what the agent itself wrote down; `undefined` where it keeps no
 * sessions that we can read, or has none of this name.
 */
export async function priorTurnsIn(
  adapter: Adapter,
  sessionId: string,
  around: Surroundings,
): Promise<number | undefined> {
  try {
    return await holding(async () => {
      // The newest comes first.
      for (const file of await findFiles(adapter, around, createRowFinder())) {
        if (!(await isOf(sessionId, file))) continue;
        const { log } = await readWhole(file);
        return log.messages.filter(({ role }) => role === "assistant").length;
      }
      return undefined;
    });
  } catch {
    // Whatever is wrong with the agent's files, the run itself has no need of them.
    return undefined;
  }
}

/** Only some names tell the whole id, and some a part of it. */
async function isOf(sessionId: string, file: SessionFile): Promise<boolean> {
  if (file.id !== undefined) return file.id === sessionId;
  if (file.idStart !== undefined && !sessionId.startsWith(file.idStart)) return false;
  return (await readHead(file)).log.id === sessionId;
}
