import { asObject, asObjects, asText, type Json, parseObject } from "../../../kit/json-values.ts";
import type { ToolCall } from "../../../kit/tool-calls.ts";
import type { AcpProfile } from "../acp-profile.ts";
import type { Scope } from "../session/scope.ts";
import { commandLine, diffsIn, textIn } from "./call-content.ts";
import type { Terminal } from "./client-terminal.ts";

export interface Call extends ToolCall {
  scope: Scope;
  title: string;
  acpKind: string;
  /** Text that was shown before the call ran. It is a description, not output. */
  described: string;
  /** The output that was reported so far. */
  reported: string;
  /** The output and the exit code of a terminal that the agent runs itself. */
  printed: string;
  exitCode?: number;
  diffs: Json[];
  paths: string[];
  terminal?: Terminal;
  /** Whether the agent adds `_meta` to calls. If so, `_meta` also says which calls belong to a subagent. */
  isMarked: boolean;
  isReady?: true;
  hasCommand?: true;
  isRefused?: true;
  isOver?: true;
}

/** The kind of frame that reports a call. */
export type Source = "tool_call" | "tool_call_update" | "session/request_permission";

/**
 * Copies the fields of a frame into the call. Returns whether the input is complete: it is once the call makes
 * progress, prints, or asks for permission.
 */
export function applyFrame(call: Call, frame: Json, source: Source, { inputInContent }: AcpProfile): boolean {
  const { title, kind, rawInput, content, locations, status }: Json = frame;
  const isAsked = source === "session/request_permission";
  call.title = asText(title) || call.title;
  call.acpKind = asText(kind) || call.acpKind;
  // The input in a permission request may be written for people, so the model's own input takes precedence.
  const hasInput = Boolean(asText(rawInput)) || Object.keys(asObject(rawInput) ?? {}).length > 0;
  const isFirst = call.input === undefined;
  if (hasInput && !call.isReady && (!isAsked || isFirst)) call.input = rawInput;
  else if (hasInput && isAsked && call.toolKind === "shell" && commandOf(call) === "") {
    call.input = { ...asObject(call.input), ...asObject(rawInput) };
  }
  const text = textIn(content);
  if (inputInContent && !hasInput && !isAsked && !call.isReady && status !== "completed" && status !== "failed") {
    call.input = parseObject(text) ?? call.input;
    call.described = text || call.described;
    return false;
  }
  if (source !== "tool_call_update" || (hasInput && !call.isReady && isFirst)) call.described = text || call.described;
  if (isAsked) call.input ??= parseObject(text);
  const diffs = diffsIn(content);
  if (diffs.length > 0) call.diffs = diffs;
  const paths = asObjects(locations).flatMap(({ path }) => asText(path) ?? []);
  if (paths.length > 0) call.paths = paths;
  const isNew = source === "tool_call_update" && (hasInput || text !== "");
  return isAsked || isNew || status === "in_progress" || status === "completed" || status === "failed";
}

export const commandOf = ({ terminal, input }: Call): string =>
  terminal?.command || commandLine(asObject(input)?.command);
