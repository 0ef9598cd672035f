import path from "node:path";
import { type Command, Option } from "commander";
import type { Flag } from "../../options/option-row.ts";
import type { RunOptions } from "../../options/run-options.gen.ts";
import { type OptionName, optionRows } from "../../options/run-options.ts";
import { readFlag } from "./read-flag.ts";

/** The flags of `spoor run` that set an option of the run, in the order of `--help`. */
export const runFlags: readonly RunFlag[] = optionRows.flatMap(([option, row]) =>
  "flag" in row ? [{ ...row.flag, option, long: row.flag.name.split(" ", 1)[0] ?? "", values: row.check.values }] : [],
);

export type RunFlag = Flag & {
  option: OptionName;
  /** The flag without its placeholder. */
  long: string;
  /** The values that a flag of the kind `choice` accepts. */
  values: readonly unknown[] | undefined;
};

/** Adds the flags of these options to a command. */
export function addRunFlags(command: Command, isWanted: (option: OptionName) => boolean): Command {
  for (const flag of runFlags) {
    if (isWanted(flag.option)) command.addOption(commanderOption(flag));
  }
  return command;
}

/** Converts the values that commander read for flags into options of a run. The run checks them before it starts. */
export function optionsFromFlags(values: object): Partial<RunOptions> {
  const given = runFlags.flatMap((flag) => {
    const { option, long } = flag;
    const value = (values as Record<string, unknown>)[new Option(long).attributeName()];
    // Commander gives `false` for `--no-…`, and `true` where that flag is absent.
    const isGiven = long.startsWith("--no-") ? value === false : value !== undefined;
    return isGiven ? [[option, optionValue(flag, long.startsWith("--no-") ? true : value)]] : [];
  });
  return Object.fromEntries(given);
}

/** The flag that sets an option; undefined where there is none. */
export const flagOf = (option: string): string | undefined => runFlags.find((flag) => flag.option === option)?.long;

function commanderOption({ name, help, reads, long, values }: RunFlag): Option {
  const option = new Option(name, help);
  if (reads === "choice") return option.choices((values ?? []).map(String));
  if (reads === "directory") return option.default(process.cwd());
  const parse = readFlag[reads];
  return parse ? option.argParser<unknown>((text, before) => parse(text, long, before)) : option;
}

function optionValue(flag: RunFlag, value: unknown): unknown {
  if (flag.reads === "directory") return path.resolve(String(value));
  if (flag.reads === "choice") return flag.values?.find((each) => String(each) === value);
  return flag.toOption ? (flag.toOption as (value: unknown) => unknown)(value) : value;
}
