import { useSyncExternalStore } from "react";
import type { Connection } from "./connection.ts";
import { hub } from "./hub.ts";

/** The state of the page's connection. */
export const useConnection = (): Connection => useSyncExternalStore(hub.watch, () => hub.state);

/** Tries to connect at once instead of waiting. */
export const connectNow = (): void => hub.connectNow();
