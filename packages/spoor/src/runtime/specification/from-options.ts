import type { RunOptions } from "../../options/run-options.gen.ts";
import { type SpecField, specFields } from "./fields.ts";

/** The specification that asks for a run with these options, and the options that a task cannot have. */
export function specFromOptions(options: Partial<RunOptions>): { spec: Record<string, unknown>; left: string[] } {
  const fields = new Map(
    (Object.entries(specFields) as [string, SpecField][]).flatMap(([name, field]) =>
      field.option === undefined ? [] : [[field.option as string, { name, ...field }]],
    ),
  );
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  const known = entries.flatMap(([option, value]) => {
    const field = fields.get(option);
    return field ? [[field.name, field.convert ? field.convert.from(value) : value]] : [];
  });
  const left = entries.map(([option]) => option).filter((option) => !fields.has(option));
  return { spec: { kind: "agent", ...Object.fromEntries(known) }, left };
}
