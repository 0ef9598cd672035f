import type { Rows } from "../effects.ts";
import { LogError } from "../errors.ts";
import { checkEffects } from "../work/check-effects.ts";
import type { Context } from "./context.ts";
import { translateErrors } from "./failure.ts";
import { NO_EVENTS } from "./tables/key-rows.ts";
import type { createWriter } from "./writer.ts";

/** Reads and writes the rows of the tables in `log/tables.ts`. */
export function createRows({ tables, now }: Context, writer: Pick<ReturnType<typeof createWriter>, "transact">): Rows {
  const { rows, keys } = tables;
  return {
    find: async (table, key) => translateErrors(() => rows.find(table, key)),
    list: async (table, query) => translateErrors(() => rows.list(table, query)),
    async write(effects, { idempotency_key } = {}) {
      checkEffects(effects);
      await writer.transact(() => {
        if (idempotency_key !== undefined) {
          const used = keys.find(idempotency_key);
          if (used instanceof LogError) throw used;
          if (used) return {};
          keys.put(idempotency_key, { run_id: "", ...NO_EVENTS }, now());
        }
        rows.apply(effects);
        return { hasRowChanges: true };
      });
    },
  };
}
