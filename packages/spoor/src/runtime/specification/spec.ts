import path from "node:path";
import { type Problem, ValidationError } from "../../failures/errors.ts";
import { isObject, unexpected, unknownField } from "../../options/checks.ts";
import type { RunOptions } from "../../options/run-options.gen.ts";
import { createRedactor } from "../redaction/index.ts";
import { secretNameOf } from "../redaction/names.ts";
import { type SpecField, type SpecFieldName, specFields, type TaskKind, taskKinds } from "./fields.ts";

/** What a task asks for. It is stored as it is given, so it holds no secrets: `$NAME` stands for a variable. */
export interface TaskSpec {
  kind: TaskKind;
  title?: string;
  priority?: number;
  workspace?: {
    mode?: "in_place" | "worktree" | "clone";
    path?: string;
    repo?: string;
    base?: string;
    share?: boolean;
  };
  policy?: readonly string[];
  timeout_ms?: number;
  approve?: "ask" | "auto" | "deny" | "prompt" | "yolo";
  prompt?: string | readonly string[];
  /** What was said before the prompt, in a conversation that was begun elsewhere. */
  history?: readonly { role: "user" | "assistant"; text: string }[];
  agent?: string;
  model?: string;
  command?: string | readonly string[];
  operation?: "write" | "append" | "delete";
  path?: string;
  content?: string;
  budget_micros_usd?: number;
  budget_advisory?: boolean;
  on_reject?: "continue" | "fail";
  sandbox?: "auto" | "bwrap" | "none";
  approval_timeout_ms?: number;
  on_approval_timeout?: "reject" | "cancel_run";
  recover?: "fail" | "resume";
  record_thinking?: boolean;
  record_tool_input?: boolean;
  env?: Readonly<Record<string, string>>;
  pass_env?: readonly string[];
  /** How this run goes on from an earlier one. Only runs have it, never a task. */
  continues?: Continuation;
  /** Further options of the run, under the names in `fields.ts`. */
  [option: string]: unknown;
}

/** The earlier run that a run continues, and what of its conversation the new run begins with. */
export interface Continuation {
  run_id: string;
  /** `retry` begins again before `turn`; the others go on after the last turn, `fork` in a copy of the session. */
  mode: "retry" | "resume" | "continue" | "fork";
  turn?: number;
}

/**
 * Checks the specification of a task.
 *
 * @throws {ValidationError} which lists everything that is wrong.
 * @example
 * const spec = readSpec({ agent: "claude", prompt: "Fix the failing test.", workspace: { mode: "worktree" } });
 */
export function readSpec(given: unknown): TaskSpec {
  const value = withLoop(given);
  const problems = specProblems(value);
  if (problems.length > 0) throw new ValidationError(problems);
  const { kind = "agent", ...rest } = value as Partial<TaskSpec>;
  return { kind, ...rest };
}

/**
 * Checks fields that differ from those of an earlier specification. They are stored like those of a new task.
 *
 * @throws {ValidationError} which lists everything that is wrong.
 */
export function checkChanges(kind: TaskKind, changes: Readonly<Record<string, unknown>>): void {
  const problems = presentProblems(kind, changes);
  if (problems.length > 0) throw new ValidationError(problems);
}

export function specProblems(value: unknown): Problem[] {
  if (!isObject(value)) return [unexpected(value, "The task", "an object")];
  const kind = value.kind ?? "agent";
  if (!isKind(kind)) return [unexpected(kind, "kind", `one of ${taskKinds.join(", ")}`)];
  return [
    ...missing(kind, value),
    ...presentProblems(kind, value),
    ...(kind === "file" ? fileProblems(value) : []),
    ...(kind === "git" ? gitProblems(value) : []),
  ];
}

const presentProblems = (kind: TaskKind, value: Readonly<Record<string, unknown>>): Problem[] => [
  ...Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : fieldProblems(kind, name, each))),
  ...(isBlank(value.prompt) ? [{ field: "prompt", message: "The prompt is empty." }] : []),
];

const isBlank = (prompt: unknown): boolean =>
  (typeof prompt === "string" || Array.isArray(prompt)) && [prompt].flat().join("").trim() === "";

/** Our own loop is named as an agent, or by its kind. */
function withLoop(value: unknown): unknown {
  if (!isObject(value) || value.agent !== "loop" || (value.kind ?? "agent") !== "agent") return value;
  const { agent: _, ...rest } = value;
  return { ...rest, kind: "agent_loop" };
}

/** The options of the agent's run. `$NAME` is replaced by the variable of that name. */
export function runOptionsOf(spec: TaskSpec, environment: NodeJS.ProcessEnv): RunOptions {
  const entries = (Object.entries(specFields) as [SpecFieldName, SpecField][]).flatMap(([name, field]) => {
    const { option, convert } = field;
    if (option === undefined || spec[name] === undefined) return [];
    const value = withVariables(spec[name], name, environment);
    return [[option, convert ? convert.to(value) : value]];
  });
  return Object.fromEntries(entries) as unknown as RunOptions;
}

/** Returns the environment variables that a command task sets, with the values that `$NAME` stands for. */
export const environmentOf = (spec: TaskSpec, environment: NodeJS.ProcessEnv): Record<string, string> =>
  withVariables(spec.env ?? {}, "env", environment) as Record<string, string>;

/** The line that lists show for a task: its title, or the first line of what it asks for. */
export function titleOf(spec: TaskSpec): string | undefined {
  const { title, prompt, command, operation, path: file } = spec;
  const asked = title ?? (typeof prompt === "string" ? prompt : prompt?.join("\n\n")) ?? commandText(command);
  const line = (asked ?? (operation && `${operation} ${file}`))
    ?.split("\n")
    .find((each) => each.trim() !== "")
    ?.trim();
  return line !== undefined && line.length > 120 ? `${line.slice(0, 119).toWellFormed()}…` : line;
}

const commandText = (command: TaskSpec["command"]): string | undefined =>
  command === undefined || typeof command === "string" ? command : command.join(" ");

const isKind = (kind: unknown): kind is TaskKind => (taskKinds as readonly unknown[]).includes(kind);

function missing(kind: TaskKind, value: Record<string, unknown>): Problem[] {
  const names = (Object.entries(specFields) as [string, SpecField][])
    .filter(([name, { requiredBy }]) => requiredBy?.includes(kind) && value[name] === undefined)
    .map(([name]) => name);
  return names.map((field) => ({ field, message: `${field} is missing: a task of kind ${kind} needs it.` }));
}

function fieldProblems(kind: TaskKind, name: string, value: unknown): Problem[] {
  const field: SpecField | undefined = Object.hasOwn(specFields, name) ? specFields[name as SpecFieldName] : undefined;
  const known = Object.entries(specFields) as [string, SpecField][];
  if (!field)
    return [
      unknownField(
        name,
        known.filter(([, each]) => takes(each, kind)).map(([each]) => each),
      ),
    ];
  if (!takes(field, kind)) return [{ field: name, message: `${name} does not apply to a task of kind ${kind}.` }];
  const problems = field.check(value, name);
  return problems.length > 0 ? problems : secretProblems(value, name);
}

const takes = ({ kinds }: SpecField, kind: TaskKind): boolean => kinds === undefined || kinds.includes(kind);

function fileProblems({ operation, content, path: file }: Record<string, unknown>): Problem[] {
  const problems: Problem[] = [];
  if (operation !== "delete" && operation !== undefined && content === undefined)
    problems.push({ field: "content", message: `content is missing: ${operation} needs it.` });
  if (operation === "delete" && content !== undefined)
    problems.push({ field: "content", message: "content does not apply to delete." });
  if (typeof file === "string" && (path.isAbsolute(file) || path.normalize(file).startsWith("..")))
    problems.push({
      field: "path",
      message: `path must be relative to the workspace and stay inside it, not ${file}.`,
    });
  return problems;
}

function gitProblems({ command }: Record<string, unknown>): Problem[] {
  if (typeof command !== "string") return [];
  const message =
    'command must be a list of arguments for git, such as ["commit", "-m", "a message"]: no shell splits it.';
  return [{ field: "command", message }];
}

/** A stored specification must not hold secrets, neither known kinds of keys nor values under telling names. */
function secretProblems(value: unknown, field: string): Problem[] {
  if (typeof value === "string") {
    if (isVariable(value) || redactor.redact(value) === value) return [];
    return [{ field, message: `${field} holds a secret, and a task is stored. ${ADVICE}` }];
  }
  if (Array.isArray(value)) return value.flatMap((each, index) => secretProblems(each, `${field}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const inner = `${field}.${name}`;
    const isNamed = typeof each === "string" && each !== "" && !isVariable(each) && secretNameOf(name) !== undefined;
    return isNamed
      ? [{ field: inner, message: `${inner} looks like a secret, and a task is stored. ${ADVICE}` }]
      : secretProblems(each, inner);
  });
}

const ADVICE = "Write $NAME instead, and set the variable NAME where the task is executed.";

/** The fields in which `$NAME` stands for a variable. */
const withReferences: ReadonlySet<string> = new Set(["env", "mcp_servers"]);

const isVariable = (value: string): boolean => /^(?:Bearer )?\$[A-Za-z_][A-Za-z0-9_]*$/.test(value);

/** Replaces `$NAME` by the variable of that name, in the fields that may hold it. */
export function withVariables(value: unknown, field: string, environment: NodeJS.ProcessEnv): unknown {
  if (!withReferences.has(field.split(/[.[]/)[0] ?? "")) return value;
  if (typeof value === "string") {
    if (!isVariable(value)) return value;
    const name = value.slice(value.indexOf("$") + 1);
    const found = environment[name];
    if (found === undefined) {
      const message = `${field} is ${value}, but the variable ${name} is not set where the task is executed. Set it there.`;
      throw new ValidationError([{ field, message }]);
    }
    return value.replace(`$${name}`, () => found);
  }
  if (Array.isArray(value)) return value.map((each, index) => withVariables(each, `${field}[${index}]`, environment));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withVariables(each, `${field}.${name}`, environment)]),
  );
}

const redactor = createRedactor();
