import type { RunOptions } from "../../options/run-options.gen.ts";
import { type SpecField, specFields } from "./fields.ts";

/** The specification that asks for a run with these options, and the options that a task cannot have. */
export function specFromOptions(options: Partial<RunOptions>): { spec: Record<string, unknown>; left: string[] } {
  const names = new Map(
    (Object.entries(specFields) as [string, SpecField][]).flatMap(([name, { option }]) =>
      option === undefined ? [] : [[option as string, name]],
    ),
  );
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return {
    spec: {
      kind: "agent",
      ...Object.fromEntries(
        entries.flatMap(([option, value]) => (names.has(option) ? [[names.get(option), value]] : [])),
      ),
    },
    left: entries.map(([option]) => option).filter((option) => !names.has(option)),
  };
}
