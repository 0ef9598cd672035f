import type { OptionRow } from "./option-row.ts";
import { limitOptions } from "./table/limit-options.ts";
import { processOptions } from "./table/process-options.ts";
import { taskOptions } from "./table/task-options.ts";

/**
 * Every option of a run, one row each: its check, where it may be set, how layers merge, which ability a dialect needs,
 * and its flag. `option-row.ts` explains the columns. From these rows `npm run generate` writes the interfaces
 * `RunOptions`, `SharedOptions` and `AgentOptions` and the type `Ability`. The order is that of `spoor run --help`.
 */
export const runOptions = { ...taskOptions, ...limitOptions, ...processOptions };

export type OptionName = keyof typeof runOptions;

/** All rows, with the names of their options. */
export const optionRows = Object.entries(runOptions) as readonly [OptionName, OptionRow][];

/** The row of an option; undefined for a name that is not an option. */
export const rowOf = (name: string): OptionRow | undefined =>
  Object.hasOwn(runOptions, name) ? runOptions[name as OptionName] : undefined;
