import type { Problem } from "../failures/errors.ts";
import { isObject, unexpected, unknownField } from "./checks.ts";
import { optionGroups } from "./option-groups.ts";
import type { OptionRow } from "./option-row.ts";
import { optionRows, rowOf } from "./run-options.ts";
import { isUnsupported, unsupportedMessage } from "./unsupported-options.ts";

/** Returns everything that is wrong with options: those of a call, or those of a file or a client. */
export function optionProblems(value: unknown, scope: OptionRow["scope"]): Problem[] {
  if (!isObject(value)) return [unexpected(value, "options", "an object")];
  return [
    ...Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : problemsOf(name, each, scope))),
    ...optionGroups.flatMap((group) => groupProblems(group, value)),
  ];
}

function problemsOf(name: string, value: unknown, scope: OptionRow["scope"]): Problem[] {
  // A call that sets one of these fails with a CapabilityError instead (see `checkCall`).
  if (isUnsupported(name)) return scope === "run" ? [] : [{ field: name, message: unsupportedMessage(name) }];
  const row = rowOf(name);
  if (!row) return [unknownField(name, knownNames(scope))];
  if (scope === "shared" && row.scope === "run") {
    return [{ field: name, message: `${name} belongs to one run: set it in the call of the run, not here.` }];
  }
  return row.check(value, name);
}

function groupProblems(group: readonly string[], value: Record<string, unknown>): Problem[] {
  // `noSession: false` chooses nothing.
  const chosen = group.filter((name) => value[name] !== undefined && value[name] !== false);
  if (chosen.length < 2) return [];
  const [, second = ""] = chosen;
  return [{ field: second, fields: chosen, message: `${chosen.join(" and ")} exclude each other: keep one.` }];
}

const knownNames = (scope: OptionRow["scope"]): string[] =>
  optionRows.filter(([, row]) => scope === "run" || row.scope === "shared").map(([name]) => name);
