import type { ToolKind } from "@spoor/protocol";
import { touched } from "../../../files.ts";
import { asNumber, asObject, asObjects, asText, type Json } from "../../../json-machine.ts";
import type { FileFact } from "../../../signal.ts";
import { textOf as textIn } from "../../../text.ts";
import { type Outcome, outcomeBy } from "../../../tool.ts";
import { editDiff } from "./edit-diff.ts";

/** The text of a result. */
export const textOf = ({ content }: Json): string => textIn(content);

/** The text of a result that is nothing else, or the result whole. */
export function outputOf(result: Json): unknown {
  const isText = asObjects(result.content).every(({ type }) => type === "text");
  const details = Object.keys(asObject(result.details) ?? {});
  return isText && details.length === 0 ? textOf(result) : result;
}

/** Stated by some, told in words below the output by others; absent where the command succeeded. */
export function exitCodeOf(result: Json): number | undefined {
  const told = /(?:^|\n)Command exited with code (-?\d+)$/.exec(textOf(result))?.[1];
  return asNumber(asObject(result.details)?.exitCode) ?? (told === undefined ? undefined : Number(told));
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
  const diffs = (edited: string): string[] => [editDiff(edited, details) ?? []].flat();
  return touched(toolKind, path, { content: input.content, diffs });
}
