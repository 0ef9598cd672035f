import { homedir } from "node:os";
import path from "node:path";
import type { HeldQuestion } from "../../assemble/interactions.ts";
import type { Policy, PolicyAction, Verdict } from "../policy/index.ts";
import { withoutOwnShell } from "./own-shell.ts";

/** Where the actions that an agent asks about would happen. */
export interface ActionPlace {
  agent: string;
  /** The working directory of the run. */
  cwd: string;
}

/**
 * Applies the policy to a question of an agent. An action that cannot be recognised is asked about; one that Spoor itself
 * protects is never allowed by a rule.
 */
export function judgeQuestion(policy: Policy, question: HeldQuestion, place: ActionPlace, isYolo: boolean): Verdict {
  const verdicts = actionsOf(question, place).map((action) => policy.decide(action));
  const verdict = verdicts.toSorted((a, b) => strictness[b.decision] - strictness[a.decision])[0] ?? unknownAction;
  if (!question.isProtected || verdict.decision !== "allow") return verdict;
  const reason = "Spoor protects this file, so no rule can allow it.";
  return { ...verdict, decision: isYolo ? "block" : "ask", policy_id: "builtin:protected", reason };
}

const strictness = { allow: 0, ask: 1, block: 2 } as const;

const unknownAction: Verdict = {
  decision: "ask",
  policy_id: "default:ask",
  reason: "The agent does not say what it will do.",
  parts: [],
};

/** What the agent would do, as rules see it. */
export function actionsOf({ tool, input, detail, diff }: HeldQuestion, { agent, cwd }: ActionPlace): PolicyAction[] {
  const name = tool?.name ?? "";
  const given = fieldsOf(input ?? tool?.input);
  const own = text(given, folderFields);
  const base = { agent, cwd: own === undefined ? cwd : path.resolve(cwd, own), ...(name !== "" && { tool: name }) };
  if (tool?.mcp) return [{ ...base, subject: "mcp", server: tool.mcp.server, name: tool.mcp.tool }];
  const command = commandOf(given);
  if (tool?.toolKind === "shell" || (tool?.toolKind === undefined && command !== undefined)) {
    const line = command ?? (tool ? undefined : detail);
    if (line === undefined) return [{ ...base, subject: "tool", name }];
    return [{ ...base, subject: "shell", command: withoutOwnShell(line, agent) }];
  }
  const paths = pathsOf(given, diff).map((each) => path.resolve(base.cwd, expanded(each)));
  const subject = tool?.toolKind && fileSubjects[tool.toolKind];
  if (subject === "read") return [{ ...base, subject, paths: paths.length > 0 ? paths : [base.cwd] }];
  if (paths.length > 0) return [{ ...base, subject: "write", paths }];
  const host = hostOf(text(given, urlFields));
  if (host !== undefined) return [{ ...base, subject: "host", host }];
  return name === "" ? [] : [{ ...base, subject: "tool", name }];
}

/** The kinds of tools that read files only. Every other call with a path may write. */
const fileSubjects: Readonly<Record<string, "read" | undefined>> = { file_read: "read", glob: "read", grep: "read" };

const folderFields = ["cwd", "workdir", "working_directory", "directory"];
const pathFields = [
  "file_path",
  "filePath",
  "path",
  "notebook_path",
  "target_file",
  "absolute_path",
  "abs_path",
  "filename",
];
const moveFields = ["move_path", "movePath"];
const urlFields = ["url", "uri"];

const fieldsOf = (input: unknown): Record<string, unknown> =>
  typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};

const text = (fields: Record<string, unknown>, names: readonly string[]): string | undefined =>
  names.map((name) => fields[name]).find((value): value is string => typeof value === "string" && value !== "");

/** A command is a text, or a list of words of which a shell may be the first. */
function commandOf(fields: Record<string, unknown>): string | undefined {
  const { command, cmd, script, args } = fields;
  const given = command ?? cmd ?? script;
  if (Array.isArray(given)) return given.map((word) => quoted(String(word))).join(" ");
  if (typeof given !== "string" || given === "") return undefined;
  return Array.isArray(args) ? [given, ...args.map(String)].map(quoted).join(" ") : given;
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** All files that the input or the diff names. */
function pathsOf(fields: Record<string, unknown>, diff: string | undefined): string[] {
  const lists = [fields.paths, fields.files, fields.edits, fields.changes].filter(Array.isArray).flat();
  const changes = Array.isArray(fields.changes) ? [] : Object.keys(fieldsOf(fields.changes));
  const named = pathFields.map((name) => fields[name]);
  const nested = lists.flatMap((item) => (typeof item === "string" ? item : pathsIn(fieldsOf(item))));
  const patched = [...`${diff ?? ""}\n${patchText(fields)}`.matchAll(PATCHED)].map(([, file]) => file);
  const all = [...named, ...nested, ...changes, ...patched];
  return [
    ...new Set(all.filter((each): each is string => typeof each === "string" && each !== "" && each !== "/dev/null")),
  ];
}

/** The path of one change, and where it moves the file. */
const pathsIn = (change: Record<string, unknown>): (string | undefined)[] => [
  text(change, pathFields),
  text(change, moveFields),
  text(fieldsOf(change.kind), moveFields),
];

const patchText = ({ patch, input, diff }: Record<string, unknown>): string =>
  [patch, input, diff].filter((each) => typeof each === "string").join("\n");

/** The files of unified diffs, and of the patches that Codex writes. */
const PATCHED = /^(?:\+\+\+ (?:b\/)?|--- (?:a\/)?|\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: )([^\t\n]+)/gm;

const expanded = (file: string): string =>
  file === "~" || file.startsWith("~/") ? path.join(homedir(), file.slice(1)) : file;

function hostOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  return new URL(url).host || undefined;
}
