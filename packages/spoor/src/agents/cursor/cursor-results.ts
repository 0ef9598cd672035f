import { diffOfHunks, diffOfLines } from "../kit/diff.ts";
import { byteCount } from "../kit/file-facts.ts";
import { asArray, asCount, asNumber, asObject, asText, type Json } from "../kit/json-values.ts";
import { omitUndefined } from "../kit/omit-undefined.ts";
import { outcomeByText, outputSignals } from "../kit/tool-calls.ts";
import type { FileFact, Signal, ToolEnd } from "../signal.ts";
import type { Tool } from "./cursor-tools.ts";

/** How a call ended: the result has one field, which names the outcome. */
export function readResult(id: string, tool: Tool, result: Json): Signal[] {
  const [kind = "", value] = Object.entries(result)[0] ?? [];
  const reported = asObject(value) ?? {};
  const durationMs = asCount(reported.executionTime);
  const end: ToolEnd = { kind: "toolEnd", id, name: tool.name, ...omitUndefined({ durationMs }) };
  const outcome = kind === "success" ? undefined : outcomeByText(outcomes, kind);
  const command = tool.toolKind === "shell" && outcome !== "blocked" ? readCommand(end, tool, reported) : [];

  if (outcome !== undefined) {
    const error = wordsOf(reported) ?? (end.exitCode === undefined ? kind : `The command exited with ${end.exitCode}.`);
    const denied: Signal[] = outcome === "blocked" ? [{ kind: "denied", reason: error }] : [];
    return [...command, ...denied, { ...end, error, outcome }];
  }
  const output = outputOf(tool, reported);
  if (reported.isError === true)
    return [{ ...end, output, error: textOf(reported), outcome: "failed", protocol: false }];
  const files = filesOf(tool, reported);
  return [...command, { ...end, output, ...(files.length > 0 && { files }) }];
}

const outcomes = [
  [/^rejected$|permissionDenied$/i, "blocked"],
  [/^(aborted|cancell?ed)$/, "cancelled"],
  [/^time(d)?out$/i, "timed_out"],
] as const;

const wordsOf = (reported: Json): string | undefined =>
  [reported.reason, reported.errorMessage, reported.error, reported.message].map(asText).find((words) => words);

/** The command is reported when it has run: until then it may have been refused. */
function readCommand(end: ToolEnd, { input }: Tool, reported: Json): Signal[] {
  const [exitCode, cwd, { id }] = [asNumber(reported.exitCode), asText(input.workingDirectory), end];
  if (exitCode !== undefined) end.exitCode = Math.trunc(exitCode);
  return [
    { kind: "shell", id, command: asText(input.command) ?? "", ...(cwd && { cwd }) },
    ...outputSignals(id, reported.stdout, reported.stderr),
  ];
}

function outputOf({ toolKind }: Tool, reported: Json): unknown {
  if (toolKind === "shell") return asText(reported.stdout) ?? reported;
  if (toolKind === "file_read") return reported.content ?? reported;
  return toolKind === "mcp" ? textOf(reported) : reported;
}

/** The text of an MCP result, whose blocks are nested twice. */
const textOf = ({ content }: Json): string =>
  asArray(content)
    .map((block) => asText(asObject(asObject(block)?.text)?.text) ?? asText(asObject(block)?.text) ?? "")
    .join("");

function filesOf({ name, toolKind, input }: Tool, reported: Json): FileFact[] {
  const path = asText(reported.path) || asText(input.path);
  if (!path) return [];
  if (toolKind === "file_read") return [{ op: "read", path }];
  if (name === "delete") return [{ op: "delete", path }];
  const diff = asText(reported.diffString);
  if (name === "edit" && diff) return [{ op: "patch", path, diff: asUnified(path, diff) }];
  const content = asText(reported.afterFullFileContent) ?? asText(input.streamContent) ?? asText(input.fileText);
  if ((name !== "edit" && name !== "write") || content === undefined) return [];
  return [{ op: "write", path, byteCount: byteCount(content) }];
}

/** Usually it sends the lines of a diff without their position. */
function asUnified(path: string, diff: string): string {
  const at = diff.search(/^@@ /m);
  return at < 0 ? diffOfLines(path, diff.split("\n")) : `${diffOfHunks(path, [])}${diff.slice(at)}`;
}
