import { createContext, use } from "react";

/** The time of the last event, in epoch milliseconds. In a file time stands still. */
export const Now = createContext(0);

export const useNow = (): number => use(Now);
