import type { Adapter } from "../packages/spoor/src/agents/machine.ts";
import type { Log } from "../packages/spoor/src/log/log.ts";
import { renormalize } from "../packages/spoor/src/runtime/renormalize.ts";

/** Reads a recorded run again from its raw lines. The adapter is the same, so any difference is a bug in Spoor. */
export async function differencesOf(log: Log, run_id: string, adapters: readonly Adapter[]): Promise<string[]> {
  const { types, first } = await renormalize(log, run_id, { adapters });
  if (types.length === 0) return [];
  const changes = types.map(({ type, added, removed, changed }) => `${type} +${added} -${removed} ~${changed}`);
  const parts = [first?.before, first?.after].map((event) => JSON.stringify(event && [event.type, event.data]));
  return [
    `The run differs when it is read again from its tape: ${changes.join(", ")}; first ${parts.join(" became ")}`,
  ];
}
