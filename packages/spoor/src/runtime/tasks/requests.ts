import { createHash } from "node:crypto";
import type { Effect } from "../../log/effects.ts";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { TaskError } from "./task-error.ts";

/** A request that may be sent again: its key, and everything that it asks for. */
export interface KeyedRequest {
  key: string;
  body: unknown;
}

/** What a request made: the ids that its answer is built from. */
export interface Made {
  task_id: string;
  run_id?: string;
}

/**
 * Does something at most once per key. `act` gets the effect that stores the key, which must be part of its commit. A
 * request with a key that was used for the same body gets what the first one made; for another body it is refused.
 */
export async function once(
  log: Log,
  request: KeyedRequest | undefined,
  act: (keyed: (made: Made) => Effect[]) => Promise<Made>,
): Promise<{ made: Made; repeated: boolean }> {
  if (!request) return { made: await act(() => []), repeated: false };
  const { key } = request;
  const body_hash = hashOf(request.body);
  const before = await earlier(log, key, body_hash);
  if (before) return { made: before, repeated: true };
  try {
    const made = await act((each) => [
      { do: "insert", table: "requests", row: { key, body_hash, made: JSON.stringify(each), created_at: Date.now() } },
    ]);
    return { made, repeated: false };
  } catch (error) {
    // The same request may have been sent twice at the same time: the other one won.
    const made =
      error instanceof LogError || error instanceof TaskError ? await earlier(log, key, body_hash) : undefined;
    if (made) return { made, repeated: true };
    throw error;
  }
}

async function earlier(log: Log, key: string, body_hash: string): Promise<Made | undefined> {
  const row = await log.rows.find("requests", key);
  if (!row) return undefined;
  if (row.body_hash === body_hash) return JSON.parse(row.made) as Made;
  throw new TaskError("key_reused", "This Idempotency-Key was already used for a different request.");
}

const hashOf = (body: unknown): string => createHash("sha256").update(canonical(body)).digest("hex");

/** JSON with sorted keys, so that the order of fields does not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`)
    .join(",")}}`;
}
