import { createCell } from "../ui/store.ts";

/** The home folder of the user who runs the server, as soon as a list of runs has told it. */
export const home = createCell<string | undefined>(undefined);
