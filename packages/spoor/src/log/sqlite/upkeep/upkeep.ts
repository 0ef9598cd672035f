import type { Upkeep } from "../../log.ts";
import type { Context } from "../context.ts";
import { createMerge } from "./merge.ts";
import { createPrune } from "./prune.ts";
import { createShrink } from "./shrink.ts";
import { createVerify } from "./verify.ts";

export function createUpkeep(context: Context): Upkeep {
  const { database, tables, transaction } = context;
  const forgetRequests = database.prepare("DELETE FROM requests WHERE created_at < ?");
  return {
    merge: createMerge(context),
    prune: createPrune(context),
    shrink: createShrink(context),
    forgetKeys: async (before) =>
      transaction(() => {
        tables.keys.forget(before);
        forgetRequests.run(before);
      }),
    verify: createVerify(context),
  };
}
