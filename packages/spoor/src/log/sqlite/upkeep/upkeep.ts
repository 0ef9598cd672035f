import type { Upkeep } from "../../log.ts";
import type { DatabaseSync } from "../driver.ts";
import type { Store } from "../tables/tables.ts";
import type { Transaction, WriteTransaction } from "../transaction.ts";
import type { WriteLock } from "../write-lock.ts";
import { createMerge } from "./merge.ts";
import { createPrune } from "./prune.ts";
import { createShrink } from "./shrink.ts";
import { createVerify } from "./verify.ts";

export interface Workshop {
  database: DatabaseSync;
  store: Store;
  transaction: WriteTransaction;
  lock: WriteLock;
  snapshot: Transaction;
  now: () => number;
}

export function createUpkeep(workshop: Workshop): Upkeep {
  const { store, transaction } = workshop;
  return {
    merge: createMerge(workshop),
    prune: createPrune(workshop),
    shrink: createShrink(workshop),
    forgetKeys: async (before) => transaction(() => store.keys.forget(before)),
    verify: createVerify(workshop),
  };
}
