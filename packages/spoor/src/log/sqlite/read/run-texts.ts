import { setImmediate } from "node:timers/promises";
import { envelopesIn } from "../../envelopes.ts";
import { addTexts, isSearchable, NO_TEXTS, type RunTexts } from "../../work/searchable.ts";
import type { Context } from "../context.ts";
import type { Reader } from "./reader.ts";

/** Milliseconds for which events are read before others get their turn. */
const SLICE_MS = 8;
/** Texts of this many runs are stored in one transaction. */
const BATCH = 200;

/** The texts of a run up to one of its events. */
interface Known extends RunTexts {
  last_sequence: number;
}

/**
 * Keeps the table `run_texts` up to date: before a search, it reads what runs have recorded since the last one. So a commit
 * costs nothing, a log of an older version is searched like any other, and a table that is damaged or was deleted is made
 * again. Only chunks with a searchable event are read.
 */
export function createRunTexts({ database, transaction }: Context, reader: Reader) {
  const stale = database.prepare(
    `SELECT runs.run, run_id, runs.last_sequence, run_texts.last_sequence AS known FROM runs
     LEFT JOIN run_texts ON run_texts.run = runs.run WHERE run_texts.last_sequence IS NOT runs.last_sequence`,
  );
  const find = database.prepare("SELECT last_sequence, prompts, paths FROM run_texts WHERE run = ?");
  const put = database.prepare(
    "INSERT OR REPLACE INTO run_texts (run, last_sequence, prompts, paths) VALUES (?, ?, ?, ?)",
  );
  // What could not be stored, such as on a full disk.
  const { unstoredTexts: unstored } = reader;
  let updating: Promise<void> | undefined;

  async function update(): Promise<void> {
    let found = new Map<number, Known>();
    let until = performance.now() + SLICE_MS;
    for (const row of stale.all() as unknown as Stale[]) {
      const before = unstored.get(row.run);
      if (before?.last_sequence === row.last_sequence) continue;
      found.set(row.run, textsOf(row, before));
      if (found.size >= BATCH) {
        await store(found);
        found = new Map();
      }
      if (performance.now() < until) continue;
      await setImmediate();
      until = performance.now() + SLICE_MS;
    }
    if (found.size > 0) await store(found);
  }

  function textsOf({ run, run_id, last_sequence, known }: Stale, unsaved: Known | undefined): Known {
    const stored = known === null || known > last_sequence ? undefined : (find.get(run) as Known | undefined);
    const before: Known = unsaved ?? stored ?? { ...NO_TEXTS, last_sequence: -1 };
    let texts: RunTexts = before;
    for (let after = before.last_sequence, more = true; more; ) {
      const page = reader.read(run_id, { after, match: isSearchable });
      texts = addTexts(texts, page.pieces.flatMap(envelopesIn));
      more = page.more && page.next > after;
      after = page.next;
    }
    return { prompts: texts.prompts, paths: texts.paths, last_sequence };
  }

  async function store(found: ReadonlyMap<number, Known>): Promise<void> {
    try {
      await transaction(() => {
        for (const [run, { last_sequence, prompts, paths }] of found) put.run(run, last_sequence, prompts, paths);
      });
      for (const run of found.keys()) unstored.delete(run);
    } catch {
      // A search must also work when nothing can be written.
      for (const [run, texts] of found) unstored.set(run, texts);
    }
  }

  /** Reads what is new. Searches at the same time share one reading. */
  return (): Promise<void> => {
    updating ??= update().finally(() => {
      updating = undefined;
    });
    return updating;
  };
}

interface Stale {
  run: number;
  run_id: string;
  last_sequence: number;
  known: number | null;
}
