import path from "node:path";

/** Where a fake program lies. */
export const program = (name: string): string => path.join(import.meta.dirname, "programs", `${name}.mjs`);
