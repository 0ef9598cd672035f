import path from "node:path";

/** The path of a fake program. */
export const program = (name: string): string => path.join(import.meta.dirname, "programs", `${name}.mjs`);
