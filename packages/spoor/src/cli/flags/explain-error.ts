import type { Ability } from "../../agents/machine.ts";
import { CapabilityError, type Problem, type SpoorError, ValidationError } from "../../failures/errors.ts";
import { type OptionName, optionRows, rowOf } from "../../options/run-options.ts";
import { flagOf } from "./run-flags.ts";

/** The message of an error in the words of the command line: it names flags instead of the options they set. */
export function explainError(error: SpoorError, argv: readonly string[]): string {
  if (error instanceof ValidationError) return error.problems.map(problemText).join("\n");
  if (error instanceof CapabilityError) return `${error.message}${advice(error.capability, argv)}`;
  return error.message;
}

function problemText({ field, fields: several, message }: Problem): string {
  if (field === "prompt") return `${message} Give it as an argument, with --prompt-file, or on standard input.`;
  if (several) return several.reduce((text, name) => text.replace(name, flagFor(name) ?? name), message);
  const flag = flagFor(/^\w+/.exec(field)?.[0] ?? "");
  if (flag === undefined) return message;
  // `passEnv[0]` is one value of a flag. A longer path is inside a file that the flag names.
  const isValueOfFlag = rowOf(field.replace(/\[\d+\]$/, "")) !== undefined && message.startsWith(field);
  return isValueOfFlag ? `${flag}${message.slice(field.length)}` : `${flag}: ${message}`;
}

function advice(capability: string, argv: readonly string[]): string {
  const option = optionThatNeeds(capability);
  const flag = flagFor(option);
  if (flag === undefined) return "";
  if (argv.some((word) => word === flag || word.startsWith(`${flag}=`))) return ` Leave out ${flag}.`;
  const isShared = rowOf(option)?.scope === "shared";
  return isShared ? ` A profile or configuration file sets \`${option}\`; ${flag} overrides it.` : "";
}

/** Capabilities of an error that are not abilities of the table. */
const others: Readonly<Record<string, OptionName>> = { onApprovalRequest: "approve", textStreaming: "stream" };

function optionThatNeeds(capability: Ability | string): string {
  const row = optionRows.find(([, { needs }]) => typeof needs === "object" && Object.hasOwn(needs, capability));
  return row?.[0] ?? others[capability] ?? capability;
}

/** The flag of an option, or of the option that it is another name of. */
const flagFor = (option: string): string | undefined => flagOf(rowOf(option)?.aliasOf ?? option);
