import { textOfContent as textIn } from "../../../kit/content-text.ts";
import { fileFactsOfCall } from "../../../kit/file-facts.ts";
import { asCount, asNumber, asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import { commandOfCall, outcomeByText, type ToolCall, type ToolOutcome } from "../../../kit/tool-calls.ts";
import type { ToolEnd } from "../../../signal.ts";
import { editDiffs } from "./edit-diff.ts";

/** The end of a call. A successful call reports its file changes; a write does not report whether the file is new. */
export function endOf(call: ToolCall, result: Json, isError: boolean): ToolEnd {
  const { id, name, toolKind } = call;
  const [input, details] = [asObject(call.input) ?? {}, asObject(result.details) ?? {}];
  const exitCode = commandOfCall(call) === undefined ? undefined : exitCodeOf(result);
  const end = {
    kind: "toolEnd",
    id,
    name,
    ...omitUndefined({ durationMs: asCount(details.wallTimeMs), exitCode }),
  } as const;
  if (isError) return { ...end, error: textOf(result), outcome: outcomeOf(textOf(result)) };
  const diffs = (path: string) => editDiffs(path, details);
  const files = fileFactsOfCall(toolKind, asText(input.path) || asText(details.path), {
    content: input.content,
    diffs,
  });
  return { ...end, output: outputOf(result), files };
}

/** The text of a result. */
export const textOf = ({ content }: Json): string => textIn(content);

/** The text of a result that contains nothing else, or the whole result. */
export function outputOf(result: Json): unknown {
  const isText = asObjects(result.content).every(({ type }) => type === "text");
  const details = Object.keys(asObject(result.details) ?? {});
  return isText && details.length === 0 ? textOf(result) : result;
}

/** The exit code: a field in some versions, a line below the output in others; absent if the command succeeded. */
export function exitCodeOf(result: Json): number | undefined {
  const reported = /(?:^|\n)Command exited with code (-?\d+)$/.exec(textOf(result))?.[1];
  return asNumber(asObject(result.details)?.exitCode) ?? (reported === undefined ? undefined : Number(reported));
}

export const outcomeOf = (text: string): ToolOutcome => outcomeByText(outcomes, text);

const outcomes = [
  [/(^|\n)(Command|Operation) aborted$/, "cancelled"],
  [/(^|\n)Command timed out after [^\n]*$/, "timed_out"],
  [/^(Blocked\b|Tool execution was blocked|Extension failed, blocking)/, "blocked"],
] as const;
