import { textOfContent } from "../../../kit/content-text.ts";
import { skillInvoked } from "../../../kit/fact-signals.ts";
import { asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import { outcomeByText, outputSignals, type ToolOutcome } from "../../../kit/tool-calls.ts";
import type { Signal, ToolEnd } from "../../../signal.ts";
import { changedFiles } from "./claude-file-changes.ts";
import type { ClaudeProfile } from "./claude-profile.ts";
import type { Calls } from "./claude-tool-calls.ts";

/** Reads a call's result by the kind of its tool. `frame` is the line, which contains the agent's structured result. */
export function readResult(block: Json, frame: Json, { profile, open, asked }: Calls): Signal[] {
  const id = asText(block.tool_use_id) ?? "";
  const text = textOfContent(block.content, "\n");
  const failed = block.is_error === true;
  const tool = open.get(id);
  const input = asObject(tool?.input) ?? {};
  open.delete(id);

  const reported = asObject(frame.tool_use_result) ?? {};
  const end: ToolEnd = { kind: "toolEnd", id, ...omitUndefined({ name: tool?.name }), output: block.content };
  const signals: Signal[] = [];
  if (failed) {
    end.error = errorOf(frame.tool_use_result, text);
    end.outcome = outcomeOf(id, frame, text, profile);
    if (end.outcome === "blocked" && !asked.has(id)) signals.push({ kind: "denied", reason: end.error });
  } else if (tool) {
    const isNew = /^(File |Successfully )?created/i.test(text);
    end.files = changedFiles(tool.toolKind, input, reported, isNew);
    if (/^skill$/i.test(tool.name)) signals.push(skillInvoked(asText(input.skill) ?? ""));
  }
  if (tool?.toolKind === "shell") signals.push(...readCommand(end, text, failed, reported, profile));
  return [...signals, end];
}

function errorOf(detail: unknown, text: string): string {
  const reported = asText(detail);
  return reported?.startsWith("Error: ") ? reported.slice(7) : text.replaceAll(/<\/?tool_use_error>/g, "");
}

function outcomeOf(id: string, frame: Json, text: string, { outcomes }: ClaudeProfile): ToolOutcome {
  const meta = asObjects(frame.tool_result_meta).find((each) => each.id === id) ?? {};
  if (asObject(meta.permission_decision)?.decision === "reject") return "blocked";
  return meta.non_execution_kind === undefined ? outcomeByText(outcomes, text) : "cancelled";
}

/** The command's output, and its exit code if it is known. */
function readCommand(end: ToolEnd, text: string, failed: boolean, reported: Json, profile: ClaudeProfile): Signal[] {
  const report = profile.parseCommandResult(text, failed);
  if (report) end.exitCode = Number.parseInt(String(report.exitCode), 10);
  // A command in the background has not ended.
  const isOpen = reported.backgroundTaskId !== undefined || reported.interrupted === true;
  if (isOpen || Number.isNaN(end.exitCode)) end.exitCode = -1;
  const stdout = asText(reported.stdout) ?? asText(report?.output) ?? (failed ? "" : text);
  return outputSignals(end.id, stdout === profile.emptyOutput ? "" : stdout, reported.stderr);
}
