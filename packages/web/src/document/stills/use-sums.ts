import type { LineCounts } from "@spoor/protocol";
import { createContext, use } from "react";

/** What the changes of each file come to, by its path. The file holds the diff of the whole run. */
export const Sums = createContext<ReadonlyMap<string, LineCounts> | undefined>(undefined);

export const useSums = (): ReadonlyMap<string, LineCounts> | undefined => use(Sums);
