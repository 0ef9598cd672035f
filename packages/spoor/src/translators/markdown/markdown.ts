import { stripVTControlCharacters } from "node:util";
import type { FileView, RunView, ShellView, ToolView } from "@spoor/protocol";
import { visible } from "../visible.ts";
import { fenced, inertMarkdown } from "./inert.ts";

/**
 * Writes a run as Markdown for people: what was asked, said, done, decided and changed, in the order in which it happened.
 * Thoughts are left out. What agents and people wrote as Markdown stays Markdown, but loads and runs nothing; everything else
 * is in fences that it cannot end.
 */
export function markdownOf(view: RunView): string {
  const blocks = view.timeline.flatMap(({ kind, index, tool }) => {
    // The call shows them.
    if (tool !== undefined && kind !== "approvals") return [];
    const item = view[kind][index];
    return item === undefined ? [] : [(writers as Writers)[kind]?.(item, view) ?? ""];
  });
  return visible(`${[headOf(view), ...blocks, endOf(view)].filter((block) => block !== "").join("\n\n")}\n`);
}

type Writers = Partial<Record<string, (item: unknown, view: RunView) => string>>;

type ItemOf<Kind extends keyof RunView> = RunView[Kind] extends readonly (infer Item)[] ? Item : never;

/** One writer per list of the view that Markdown shows. */
const writers: {
  [Kind in "prompts" | "messages" | "tools" | "approvals" | "questions" | "errors" | "gaps" | "subagents"]: (
    item: ItemOf<Kind>,
    view: RunView,
  ) => string;
} = {
  prompts: ({ text }) => `## Prompt\n\n${quoted(text)}`,
  messages: ({ text }) => inertMarkdown(text),
  tools: (tool, view) =>
    [
      `### ${inline(tool.name)} — ${tool.state.replaceAll("_", " ")}`,
      ...tool.shells.flatMap((index) => shellOf(view.shells[index])),
      ...tool.files.flatMap((index) => fileOf(view.files[index])),
      ...(tool.shells.length + tool.files.length === 0 ? [inputOf(tool)] : []),
      // A command has said it already.
      ...(tool.error && tool.shells.length === 0 ? [quoted(tool.error)] : []),
    ]
      .filter((block) => block !== "")
      .join("\n\n"),
  approvals: ({ summary, detail, status, decidedBy, comment }) =>
    `**Approval ${status.replaceAll("_", " ")}**${decidedBy ? ` by ${inline(decidedBy)}` : ""}${comment ? `: ${inline(comment)}` : ""}\n\n${fenced(detail ?? summary ?? "")}`,
  questions: ({ question, answer }) =>
    `**Question**\n\n${quoted(question)}${answer ? `\n\n**Answer**\n\n${quoted(answer)}` : ""}`,
  errors: ({ message, code }) => `**Error${code ? ` ${code}` : ""}**\n\n${quoted(message)}`,
  gaps: ({ type, firstSequence, lastSequence, message }) =>
    `*${type}${firstSequence === undefined ? "" : `: events ${firstSequence} to ${lastSequence}`}${message ? `: ${inline(message)}` : ""}*`,
  subagents: ({ name, status, summary }) =>
    `### Subagent ${inline(name)} — ${status}${summary ? `\n\n${quoted(summary)}` : ""}`,
};

function headOf({ agent, model, workspacePath, createdAt, runId, prompts }: RunView): string {
  const name = prompts[0]?.text.split("\n", 1)[0] ?? runId ?? "Run";
  const facts = [agent, model, workspacePath, createdAt, runId].filter((fact) => fact !== undefined);
  return `# ${inline(name)}\n\n${facts.map(code).join(" · ")}`;
}

function endOf({ end, turn, files, cost }: RunView): string {
  if (!end) return "---\n\nThe run goes on.";
  const changed = new Set(files.map(({ path }) => path)).size;
  const figures = [
    `${turn} ${turn === 1 ? "turn" : "turns"}`,
    `${changed} ${changed === 1 ? "file" : "files"} changed`,
    // An unknown cost is not zero.
    ...(cost.source === undefined && cost.micros === 0
      ? []
      : [`$${(cost.micros / 1_000_000).toFixed(4)} ${cost.source ?? ""}`.trim()]),
  ];
  return `---\n\nThe run ${end.status === "completed" ? "was completed" : end.status === "cancelled" ? "was cancelled" : "failed"}${end.message ? `: ${inline(end.message).replace(/[.\s]+$/, "")}` : ""}. ${figures.join(", ")}.`;
}

function shellOf(shell: ShellView | undefined): string[] {
  if (!shell) return [];
  const output = stripVTControlCharacters([...shell.head, ...shell.tail].map(({ text }) => text).join(""));
  const left = shell.omittedBytes > 0 ? `\n\n*${shell.omittedBytes} bytes in the middle are left out.*` : "";
  const code = shell.exitCode ? `\n\nExit code ${shell.exitCode}.` : "";
  return [fenced(`$ ${shell.command}\n${output.trimEnd()}`.trimEnd(), "console") + left + code];
}

function fileOf(file: FileView | undefined): string[] {
  if (!file) return [];
  const { path, status, additions, deletions, diff } = file;
  const lines = additions === undefined ? "" : ` +${additions} −${deletions ?? 0}`;
  return diff === undefined ? [`${code(path)}${lines} ${status}`] : [fenced(diff.trimEnd(), "diff")];
}

const inputOf = ({ input, inputText }: ToolView): string =>
  input === undefined && inputText === undefined
    ? ""
    : fenced(inputText ?? JSON.stringify(input, undefined, 2), "json");

/** A span of code on one line. */
const code = (text: string): string => `\`${text.replaceAll("`", "'").replaceAll(/\s+/g, " ")}\``;

const quoted = (text: string): string =>
  inertMarkdown(text)
    .trimEnd()
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");

/** One line without marks of Markdown or HTML. */
const inline = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<>#|]/g, "\\$&");
