import type { ToolKind } from "@spoor/protocol";
import { asObject, asText, type Json } from "../../json-machine.ts";
import type { AcpProfile, Tool } from "./profile.ts";

/** Which tool a call is of. ACP gives a title for people and a kind; the name is wherever the agent puts it. */
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
  const mcp = mcpTool(name, title, profile);
  if (mcp) return { name, toolKind: "mcp", mcp };
  const toolKind = own(profile.tools, name) ?? own(byName, name.toLowerCase().replaceAll(/[_-]/g, ""));
  return { name, toolKind: toolKind ?? own(byAcpKind, kind) ?? "other" };
}

/** How much harm a call of this kind can do. */
export const riskOf = (acpKind: string): "low" | "medium" | "high" => own(risks, acpKind) ?? "medium";

/** Names come from the agent, and may be such as `constructor`. */
const own = <T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  table && Object.hasOwn(table, key) ? table[key] : undefined;

/** Titles that are one word are names, save for commands: those may be one word too. */
function nameInTitle(title: string, kind: string): string | undefined {
  if (!/^[A-Za-z][\w-]*$/.test(title)) return undefined;
  return kind === "execute" && own(byName, title.toLowerCase()) !== "shell" ? undefined : title;
}

function mcpTool(name: string, title: string, { mcpTitle }: AcpProfile): Tool["mcp"] {
  const { server, tool } = (mcpTitle?.exec(title) ?? /^mcp__(?<server>.+?)__(?<tool>.+)$/.exec(name))?.groups ?? {};
  return server && tool ? { server, tool } : undefined;
}

const byAcpKind: Readonly<Record<string, ToolKind>> = {
  read: "file_read",
  edit: "edit",
  delete: "edit",
  move: "edit",
  search: "grep",
  execute: "shell",
  fetch: "web_fetch",
};

/** Names that agents share, without case, dashes and underscores. */
const byName: Readonly<Record<string, ToolKind>> = {
  bash: "shell",
  shell: "shell",
  exec: "shell",
  terminal: "shell",
  runshellcommand: "shell",
  read: "file_read",
  view: "file_read",
  readfile: "file_read",
  write: "file_write",
  create: "file_write",
  writefile: "file_write",
  edit: "edit",
  replace: "edit",
  applypatch: "edit",
  multiedit: "multi_edit",
  glob: "glob",
  ls: "glob",
  listdirectory: "glob",
  grep: "grep",
  grepsearch: "grep",
  todowrite: "todo_write",
  writetodos: "todo_write",
  webfetch: "web_fetch",
  websearch: "web_search",
  googlewebsearch: "web_search",
  task: "subagent",
  agent: "subagent",
  invokeagent: "subagent",
};

const risks: Readonly<Record<string, "low" | "high">> = {
  read: "low",
  search: "low",
  think: "low",
  delete: "high",
  execute: "high",
};
