import type { ToolKind } from "@spoor/protocol";
import { byteCount } from "../../../files.ts";
import { asNumber, asObject, asObjects, asText, type Json } from "../../../json-machine.ts";
import type { FileFact } from "../../../signal.ts";
import { type Outcome, outcomeBy } from "../../../tool.ts";
import { editDiff } from "./edit-diff.ts";

/** The text of a result. */
export const textOf = ({ content }: Json): string =>
  asObjects(content)
    .map(({ text }) => asText(text) ?? "")
    .join("");

/** The text of a result that is nothing else, or the result whole. */
export function outputOf(result: Json): unknown {
  const isText = asObjects(result.content).every(({ type }) => type === "text");
  const details = Object.keys(asObject(result.details) ?? {});
  return isText && details.length === 0 ? textOf(result) : result;
}

/** Stated by some, told in words below the output by others; absent where the command succeeded. */
export function exitCodeOf(result: Json): number | undefined {
  const stated = asNumber(asObject(result.details)?.exitCode);
  const told = /(?:^|\n)Command exited with code (-?\d+)$/.exec(textOf(result))?.[1];
  const code = stated ?? (told === undefined ? undefined : Number(told));
  return code && Math.trunc(code);
}

export const outcomeOf = (text: string): Outcome => outcomeBy(outcomes, text);

const outcomes = [
  [/(^|\n)(Command|Operation) aborted$/, "cancelled"],
  [/(^|\n)Command timed out after [^\n]*$/, "timed_out"],
  [/^(Blocked\b|Tool execution was blocked|Extension failed, blocking)/, "blocked"],
] as const;

/** What a call that succeeded did to files. A write does not tell whether the file was there before. */
export function filesOf(toolKind: ToolKind, input: Json, details: Json): FileFact[] {
  const path = asText(input.path) || asText(details.path);
  if (!path) return [];
  if (toolKind === "file_read") return [{ op: "read", path }];
  if (toolKind === "file_write") return [{ op: "write", path, byteCount: byteCount(input.content) }];
  const diff = toolKind === "edit" ? editDiff(path, details) : undefined;
  return diff === undefined ? [] : [{ op: "patch", path, diff }];
}
