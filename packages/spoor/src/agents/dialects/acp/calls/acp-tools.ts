import { asObject, asText, type Json } from "../../../kit/json-values.ts";
import { lookUp } from "../../../kit/look-up.ts";
import { type Tool, type ToolKinds, toolByName, toolKindsByName } from "../../../kit/tool-calls.ts";
import type { AcpProfile } from "../acp-profile.ts";

/** The tool of a call. ACP gives only a title and a kind; each agent puts the tool's name somewhere else. */
export function toolOf(id: string, frame: Json, profile: AcpProfile): Tool {
  const title = asText(frame.title) ?? "";
  const kind = asText(frame.kind) ?? "other";
  const meta = asObject(frame._meta);
  const name =
    asText(frame.name) ||
    asText(meta?.toolName) ||
    asText(asObject(meta?.claudeCode)?.toolName) ||
    profile.nameInId?.exec(id)?.[1] ||
    profile.nameInTitle?.exec(title)?.[1] ||
    nameInTitle(title, kind) ||
    (kind === "other" ? title || "unknown" : kind);
  const mcp = toolByName(title, {}, profile.mcpTitle).mcp ?? toolByName(name, {}, mcpName).mcp;
  if (mcp) return { name, toolKind: "mcp", mcp };
  const toolKind = lookUp(profile.tools ?? {}, name) ?? lookUp(byName, name.toLowerCase().replaceAll(/[_-]/g, ""));
  return { name, toolKind: toolKind ?? lookUp(byAcpKind, kind) ?? "other" };
}

/** A title of one word is a tool's name, except for commands, which may be one word too. */
function nameInTitle(title: string, kind: string): string | undefined {
  if (!/^[A-Za-z][\w-]*$/.test(title)) return undefined;
  return kind === "execute" && lookUp(byName, title.toLowerCase()) !== "shell" ? undefined : title;
}

const mcpName = /^mcp__(?<server>.+?)__(?<tool>.+)$/;

const byAcpKind: ToolKinds = toolKindsByName({
  edit: ["edit", "delete", "move"],
  file_read: ["read"],
  grep: ["search"],
  shell: ["execute"],
  web_fetch: ["fetch"],
});

/** Names that agents share, in lower case without dashes and underscores. */
const byName: ToolKinds = toolKindsByName({
  edit: ["edit", "replace", "applypatch"],
  file_read: ["read", "view", "readfile"],
  file_write: ["write", "create", "writefile"],
  glob: ["glob", "ls", "listdirectory"],
  grep: ["grep", "grepsearch"],
  multi_edit: ["multiedit"],
  shell: ["bash", "shell", "exec", "terminal", "runshellcommand"],
  subagent: ["task", "agent", "invokeagent"],
  todo_write: ["todowrite", "writetodos"],
  web_fetch: ["webfetch"],
  web_search: ["websearch", "googlewebsearch"],
});
