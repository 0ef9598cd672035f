import type { ToolKind } from "@spoor/protocol";
import { asArray, asNumber, asObject, asText, type Json } from "../../json-machine.ts";
import type { FileFact, ToolEnd } from "../../signal.ts";
import { editDiff } from "./edit-diff.ts";

/** The text of a result. */
export const textOf = ({ content }: Json): string =>
  asArray(content)
    .map((block) => asText(asObject(block)?.text) ?? "")
    .join("");

/** The text of a result that is nothing else, or the result whole. */
export function outputOf(result: Json): unknown {
  const isText = asArray(result.content).every((block) => asObject(block)?.type === "text");
  const details = Object.keys(asObject(result.details) ?? {});
  return isText && details.length === 0 ? textOf(result) : result;
}

/** Stated by some, told in words below the output by others; absent where the command succeeded. */
export function exitCodeOf(result: Json): number | undefined {
  const stated = asNumber(asObject(result.details)?.exitCode);
  const told = /(?:^|\n)Command exited with code (-?\d+)$/.exec(textOf(result))?.[1];
  return stated === undefined ? (told === undefined ? undefined : Number(told)) : Math.trunc(stated);
}

export const outcomeOf = (text: string): NonNullable<ToolEnd["outcome"]> =>
  outcomes.find(([words]) => words.test(text))?.[1] ?? "failed";

const outcomes: readonly (readonly [RegExp, NonNullable<ToolEnd["outcome"]>])[] = [
  [/(^|\n)(Command|Operation) aborted$/, "cancelled"],
  [/(^|\n)Command timed out after [^\n]*$/, "timed_out"],
  [/^(Blocked\b|Tool execution was blocked|Extension failed, blocking)/, "blocked"],
];

/** What a call that succeeded did to files. A write does not tell whether the file was there before. */
export function filesOf(toolKind: ToolKind, input: Json, details: Json): FileFact[] {
  const path = asText(input.path) || asText(details.path);
  if (!path) return [];
  if (toolKind === "file_read") return [{ op: "read", path }];
  if (toolKind === "file_write") {
    return [{ op: "write", path, byteCount: new TextEncoder().encode(asText(input.content) ?? "").length }];
  }
  const diff = toolKind === "edit" ? editDiff(path, details) : undefined;
  return diff === undefined ? [] : [{ op: "patch", path, diff }];
}
