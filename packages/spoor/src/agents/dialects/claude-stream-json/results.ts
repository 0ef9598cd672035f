import { asArray, asObject, asText, type Json, parseObject } from "../../json-machine.ts";
import type { Signal, ToolEnd } from "../../signal.ts";
import { changedFiles } from "./files.ts";
import type { Profile } from "./profile.ts";
import type { Tool, Tools } from "./tools.ts";

/** A call's result, by what the tool is for. `detail` is the agent's structured account of it, where it gives one. */
export function readResult(block: Json, detail: unknown, meta: Json, tools: Tools): Signal[] {
  const id = asText(block.tool_use_id) ?? "";
  const tool = tools.get(id);
  const text = textOf(block.content);
  const failed = block.is_error === true;
  tools.end(id);

  const end: ToolEnd = { kind: "toolEnd", id, ...(tool && { name: tool.name }), output: block.content };
  const signals: Signal[] = [];
  if (failed) {
    end.error = errorOf(detail, text);
    end.outcome = outcomeOf(meta, text, tools.profile);
    if (end.outcome === "blocked" && !tools.asked.has(id)) signals.push({ kind: "denied", reason: end.error });
  } else {
    const files = tool ? changedFiles(tool, asObject(detail) ?? {}, text, tools.profile) : [];
    if (files.length > 0) end.files = files;
    signals.push(...skillOf(tool, tools.profile));
  }
  if (tool?.toolKind === "shell") signals.push(...readCommand(end, text, failed, asObject(detail), tools.profile));
  return [...signals, end];
}

export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return asArray(content)
    .flatMap((block) => asText(asObject(block)?.text) ?? [])
    .join("\n");
}

function errorOf(detail: unknown, text: string): string {
  const told = asText(detail);
  return told?.startsWith("Error: ") ? told.slice(7) : text.replaceAll(/<\/?tool_use_error>/g, "");
}

function outcomeOf(meta: Json, text: string, { outcomes }: Profile): NonNullable<ToolEnd["outcome"]> {
  if (asObject(meta.permission_decision)?.decision === "reject") return "blocked";
  if (meta.non_execution_kind !== undefined) return "cancelled";
  return outcomes.find(([pattern]) => pattern.test(text))?.[1] ?? "failed";
}

/** The command's output, and its exit code where one can be known. */
function readCommand(
  end: ToolEnd,
  text: string,
  failed: boolean,
  detail: Json | undefined,
  { shell }: Profile,
): Signal[] {
  const pattern = failed ? shell.failure : shell.success;
  const report = shell.asJson ? jsonReport(text) : pattern?.exec(text)?.groups;
  if (report) end.exitCode = Number.parseInt(report.exit ?? "", 10);
  if (Number.isNaN(end.exitCode)) end.exitCode = -1;
  // What goes on in the background has not ended.
  if (detail?.backgroundTaskId !== undefined || detail?.interrupted === true) end.exitCode = -1;
  const bare = failed ? "" : text;
  const stdout = asText(detail?.stdout) ?? report?.output ?? bare;
  const stderr = asText(detail?.stderr) ?? "";
  return [
    ...(stdout === shell.nothing ? [] : [{ kind: "output", id: end.id, stream: "stdout", text: stdout } as const]),
    { kind: "output", id: end.id, stream: "stderr", text: stderr },
  ];
}

function jsonReport(text: string): { output?: string | undefined; exit?: string } | undefined {
  const report = parseObject(text);
  return report && { output: asText(report.output), exit: String(report.exitCode) };
}

function skillOf(tool: Tool | undefined, { skillTools }: Profile): Signal[] {
  const skillName = asText(tool?.input.skill);
  if (!tool || !skillTools.includes(tool.name) || !skillName) return [];
  return [{ kind: "fact", fact: { type: "skill_invoked", skillName } }];
}
