// Writes to a log until it is killed, and prints each append right after it was acknowledged.

import { writeSync } from "node:fs";
import type { Effect } from "../../../src/log/effects.ts";
import { openLogSync } from "../../../src/log/open.ts";
import { builtIn } from "../../../src/log/sqlite/migrate.ts";
import { draft, newRunId } from "../drafts.ts";

const [directory = "", name = "", seed = "1", extra = "0"] = process.argv.slice(2);
const random = createRandom(Number(seed));
// More migrations, so that the process may be killed within one.
const migrations = builtIn();
for (let step = 0; step < Number(extra); step++) {
  const version = migrations.length + 1;
  migrations.push({ version, sql: `CREATE TABLE extra_${version} AS SELECT * FROM chunks` });
}
const log = openLogSync({ directory, migrations });
print({ ready: process.pid });

const { runs } = await log.runs({ limit: 8 });
const shared = runs.map(({ run_id }) => run_id);
const own = newRunId();
let number = 0;
const notes = (count: number) => Array.from({ length: count }, () => `${name}.${number++}`);

await append([{ run_id: own, texts: notes(1), create: true }]);
for (;;) {
  const dice = random();
  const run_id = shared.length > 0 && random() < 0.3 ? (shared[Math.floor(random() * shared.length)] as string) : own;
  if (dice < 0.03) await log.upkeep.merge({ run_id, coldBefore: random() < 0.5 ? Number.POSITIVE_INFINITY : 0 });
  else if (dice < 0.05) await prune(run_id);
  else if (dice < 0.15 && run_id !== own)
    await append([
      { run_id, texts: notes(2) },
      { run_id: own, texts: notes(3) },
    ]);
  else await append([{ run_id, texts: notes(1 + Math.floor(random() ** 3 * 60)) }]);
}

async function append(parts: { run_id: string; texts: string[]; create?: boolean }[]): Promise<void> {
  const receipts = await log.append(
    parts.map(({ run_id, texts, create }) => ({
      run_id,
      drafts: texts.map((text) => draft(text)),
      ...(create && { create: { agent: "toy", kind: "agent" } }),
      ...(run_id === own && { effects: counting(texts) }),
    })),
  );
  print({ acked: receipts.map(({ first_sequence }, index) => ({ ...parts[index], first_sequence })) });
}

/** A row that names the last note of this process, in the same transaction as the note. */
function counting(texts: readonly string[]): Effect[] {
  const generation = Number(texts.at(-1)?.split(".")[1]);
  return [
    { do: "insert", table: "workspaces", row: { path: own, mode: name, generation }, ifExists: "keep" },
    { do: "update", table: "workspaces", key: own, when: { mode: name }, set: { generation } },
  ];
}

async function prune(run_id: string): Promise<void> {
  const last = (await log.run(run_id))?.last_sequence ?? -1;
  if (last > 20) await log.upkeep.prune(run_id, Math.floor(last * random() * 0.5), "operator");
}

/** Prints a line. Waits while the pipe is full, because a busy machine may delay the reader. */
function print(what: object): void {
  let rest = Buffer.from(`${JSON.stringify(what)}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function createRandom(state: number): () => number {
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
