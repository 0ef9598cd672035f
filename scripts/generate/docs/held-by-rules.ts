import type { Adapter, Dialect } from "../../../packages/spoor/src/agents/machine.ts";
import { adapters } from "../../../packages/spoor/src/agents/registry.ts";
import { askedAbout } from "../evidence.ts";
import { code, table } from "./markdown.ts";

/** The section of docs/agents.md about which agents rules and hooks can hold. */
export function heldByRules(): string {
  return `## Held by rules

[Rules and hooks](policy.md) judge what an agent asks before it does it, so they hold an agent as far as it asks. *Seen asking
about* is what it asked about in our recordings; it may ask about more. Under \`--approve auto\` an agent that can ask is still started
asking while a rule blocks something or a \`PreToolUse\` hook exists, and what they do not forbid is allowed without a question. Where
the table says no, nothing is held, and \`spoor run\` says so before it starts.

${table(["agent", "held", "in the dialect", "seen asking about", "limits"], adapters.map(rowOf))}`;
}

function rowOf({ name, dialects }: Adapter): string[] {
  const live = dialects.filter((dialect) => dialect.live);
  const asking = live.find(({ canAsk }) => canAsk);
  const { askWarning, deny } = (asking ?? live[0])?.live ?? {};
  const limits = askWarning ?? (deny && "cannot" in deny ? deny.cannot : "");
  const about = asking ? seen(name, asking) : "";
  const held = !asking ? "no" : limits !== "" ? "in part" : about === "" ? "yes, by its documentation" : "yes";
  return [code(name), held, asking?.name ?? "", about, limits];
}

const seen = (agent: string, { name }: Dialect): string =>
  [...new Set([...(askedAbout.get(`${agent} ${name}`) ?? [])].map((kind) => words[kind] ?? "other tools"))]
    .sort()
    .join(", ");

const words: Readonly<Record<string, string>> = {
  shell: "shell",
  mcp: "MCP tools",
  file_write: "edits",
  file_edit: "edits",
  edit: "edits",
  multi_edit: "edits",
  apply_patch: "edits",
  file_read: "reads",
  glob: "reads",
  grep: "reads",
  web_fetch: "fetches",
  web_search: "fetches",
  http: "fetches",
};
