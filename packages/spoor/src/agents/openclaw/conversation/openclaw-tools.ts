import { editDiffs } from "../../dialects/pi/results/edit-diff.ts";
import { fileFactsOfCall } from "../../kit/file-facts.ts";
import { asText, type Json } from "../../kit/json-values.ts";
import { type Tool, toolByName, toolKindsByName } from "../../kit/tool-calls.ts";
import type { FileFact } from "../../signal.ts";
import { patchedFiles } from "./openclaw-patch.ts";

/** Tool kinds by name; tools that are not listed are `other`. */
export const toolKinds = toolKindsByName({
  edit: ["apply_patch", "edit"],
  file_read: ["read", "view_image"],
  file_write: ["write"],
  glob: ["find", "ls"],
  grep: ["grep"],
  shell: ["exec", "process", "terminal"],
  subagent: ["agents_wait", "sessions_spawn", "sessions_yield", "subagents"],
  todo_write: ["update_plan"],
  web_fetch: ["web_fetch"],
  web_search: ["web_search"],
});

/** The name of an MCP tool contains its server and two underscores; no built-in tool has two underscores. */
export const toolOf = (name: string): Tool => toolByName(name, toolKinds, /^(?<server>.+?)__(?<tool>.+)$/);

/** Whether the text is that of a call that a person or the settings refused. */
export const isDenial = (words: string): boolean => /^Exec denied\b/.test(words);

/** What a successful call did to files. */
export function filesOf({ name, toolKind }: Tool, input: Json, details: Json): FileFact[] {
  if (name === "apply_patch") return patchedFiles(asText(input.input) ?? "");
  const diffs = (path: string) => editDiffs(path, details);
  return fileFactsOfCall(toolKind, asText(input.path), {
    content: input.content,
    isNew: details.created === true,
    diffs,
  });
}
