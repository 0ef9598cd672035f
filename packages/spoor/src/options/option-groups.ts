import { type OptionName, optionRows } from "./run-options.ts";

/** The groups of options of which at most one may be set: the names of each group. */
export const optionGroups: readonly (readonly OptionName[])[] = [
  ...new Set(optionRows.flatMap(([, { group }]) => group ?? [])),
].map((group) => optionRows.filter(([, row]) => row.group === group).map(([name]) => name));
