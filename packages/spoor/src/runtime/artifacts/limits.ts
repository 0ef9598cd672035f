import type { Rows } from "../../log/effects.ts";

/** The largest artifact that is kept whole, and the largest file whose bytes a patch keeps. */
export const MAX_ARTIFACT_BYTES: number = 10 * 1024 ** 2;
/** How much the artifacts of one task may take. */
const MAX_TASK_BYTES: number = 100 * 1024 ** 2;
/** How much all artifacts may take. */
const MAX_STORE_BYTES: number = 5 * 1024 ** 3;

/** What `gap.artifact_capped` says. */
export interface Cap {
  limit: "artifact" | "task" | "store";
  limit_bytes: number;
  size_bytes: number;
  message: string;
}

/** How much is stored already. */
export interface Limits {
  taskBytes(task_id: string): Promise<number>;
  storeBytes(): Promise<number>;
  /** Counts what is about to be stored. */
  add(task_id: string, bytes: number): void;
}

/** Returns the limit that storing these contents would exceed. Counts them if it would not. */
export async function capOf(
  limits: Limits | undefined,
  task_id: string,
  sizes: readonly number[],
): Promise<Cap | undefined> {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const largest = Math.max(...sizes);
  if (largest > MAX_ARTIFACT_BYTES)
    return { ...limitOf.artifact, size_bytes: largest, message: "It is too large to keep." };
  if (!limits) return undefined;
  if ((await limits.taskBytes(task_id)) + bytes > MAX_TASK_BYTES)
    return {
      ...limitOf.task,
      size_bytes: bytes,
      message: "The task's artifacts take too much space. Prune its older runs.",
    };
  if ((await limits.storeBytes()) + bytes > MAX_STORE_BYTES)
    return { ...limitOf.store, size_bytes: bytes, message: "Artifacts take too much space. Prune with `spoor prune`." };
  limits.add(task_id, bytes);
  return undefined;
}

const limitOf = {
  artifact: { limit: "artifact", limit_bytes: MAX_ARTIFACT_BYTES },
  task: { limit: "task", limit_bytes: MAX_TASK_BYTES },
  store: { limit: "store", limit_bytes: MAX_STORE_BYTES },
} as const;

/** Counts what the log holds. Sums are read once and then kept up to date by what this process adds. */
export function createLimits({ rows }: { rows: Pick<Rows, "list" | "find"> }): Limits {
  const tasks = new Map<string, Promise<number>>();
  let store: Promise<number> | undefined;
  const added = { store: 0, tasks: new Map<string, number>() };
  return {
    async taskBytes(task_id) {
      const known = tasks.get(task_id) ?? sumOfTask(rows, task_id);
      tasks.set(task_id, known);
      return (await known) + (added.tasks.get(task_id) ?? 0);
    },
    async storeBytes() {
      store ??= sumOfBlobs(rows);
      return (await store) + added.store;
    },
    add(task_id, bytes) {
      added.store += bytes;
      added.tasks.set(task_id, (added.tasks.get(task_id) ?? 0) + bytes);
    },
  };
}

const PAGE = 1_000;

async function sumOfTask(rows: Pick<Rows, "list" | "find">, task_id: string): Promise<number> {
  const hashes = new Set<string>();
  for (let after: string | undefined, more = true; more; ) {
    const page = await rows.list("artifacts", { where: { task_id }, limit: PAGE, ...(after && { after }) });
    for (const { sha256, base_revision, result_revision } of page.rows) {
      for (const hash of [sha256, base_revision, result_revision]) if (hash) hashes.add(hash.replace(/^sha256:/, ""));
    }
    after = page.rows.at(-1)?.artifact_id;
    more = page.more && after !== undefined;
  }
  let sum = 0;
  for (const hash of hashes) sum += (await rows.find("blobs", hash))?.size ?? 0;
  return sum;
}

async function sumOfBlobs(rows: Pick<Rows, "list">): Promise<number> {
  let sum = 0;
  for (let after: string | undefined, more = true; more; ) {
    const page = await rows.list("blobs", { limit: PAGE, ...(after && { after }) });
    for (const { size } of page.rows) sum += size;
    after = page.rows.at(-1)?.sha256;
    more = page.more && after !== undefined;
  }
  return sum;
}
