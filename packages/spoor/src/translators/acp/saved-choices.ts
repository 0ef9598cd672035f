import { readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { LogError } from "../../log/errors.ts";
import { writeWhole } from "../../runtime/artifacts/write-whole.ts";
import type { Choices } from "./choices.ts";

/** What is kept of a session besides its task: the folder of one without a prompt, and what was chosen for the next. */
export interface SavedSession {
  cwd: string;
  choices: Choices;
}

/**
 * Files in the data directory, one per session. A session is in no list before its first prompt, but editors load it by its id
 * after a restart; and what was chosen since the last prompt is in no run yet.
 */
export interface SavedSessions {
  read(id: string): Promise<SavedSession | undefined>;
  write(id: string, session: SavedSession): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes files that nobody has used for long. */
  sweep(): Promise<void>;
}

export function openSavedSessions(directory: string): SavedSessions {
  const folder = path.join(directory, "acp-sessions");
  const fileOf = (id: string) => path.join(folder, `${id}.json`);
  return {
    async read(id) {
      if (!isId(id)) return undefined;
      try {
        return JSON.parse(await readFile(fileOf(id), "utf8")) as SavedSession;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return undefined;
        throw error;
      }
    },
    async write(id, session) {
      try {
        await writeWhole(fileOf(id), Buffer.from(JSON.stringify(session)));
      } catch (cause) {
        const { code = "", message } = cause as NodeJS.ErrnoException;
        const isFull = code === "ENOSPC" || code === "EDQUOT";
        throw new LogError(isFull ? "disk_full" : "write_failed", `The session cannot be saved: ${message}.`, {
          cause,
        });
      }
    },
    async remove(id) {
      if (isId(id)) await rm(fileOf(id), { force: true });
    },
    async sweep() {
      const names = await readdir(folder).catch(() => []);
      for (const name of names) {
        const file = path.join(folder, name);
        const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
        if (mtimeMs < Date.now() - KEPT_MS) await rm(file, { force: true });
      }
    },
  };
}

/** Ids come from editors and become names of files. */
const isId = (id: string): boolean => /^task_[0-9A-Z]{26}$/.test(id);

const KEPT_MS = 30 * 24 * 3_600_000;
