import type { ApprovalView } from "@spoor/protocol";
import type { IconName } from "../ui/icon.tsx";

/** Everything that an answer allows: what the hash of the action covers, in the form in which people read it. */
export interface ExactAction {
  readonly form: "command" | "change" | "call";
  /** The whole command, or the name of the tool. Empty for a change, whose diff says it. */
  readonly text: string;
  readonly diff?: string;
  /** What else belongs to the action, by name: the other fields of the tool's input, and what the agent says of it. */
  readonly fields: readonly { readonly name: string; readonly text: string }[];
  /** The input of a tool that a diff already shows. */
  readonly input?: string;
}

/** The words of a question. */
interface ApprovalWords {
  readonly icon: IconName;
  /** "May it run this command?" */
  readonly question: string;
  /** "Run this command?", for the phone. */
  readonly short: string;
  /** "Asks to run", before the line that says what. */
  readonly verb: string;
}

/** What exactly is asked. Nothing of it is cut here: only what the server itself has cut is missing (`truncated`). */
export function exactAction({ kind, toolName, detail, summary, input, diff }: ApprovalView): ExactAction {
  const command = commandOf(kind, toolName, input, detail);
  if (command !== undefined) {
    return { form: "command", text: command, fields: fieldsOf(input, detail, command), ...(diff && { diff }) };
  }
  if (diff) {
    const whole = input === undefined ? undefined : print(input);
    const isNamed = !detail || pathsIn(diff).includes(detail);
    const fields = isNamed ? [] : [{ name: "It says", text: detail }];
    return { form: "change", text: "", diff, fields, ...(whole !== undefined && { input: whole }) };
  }
  const text = toolName ?? summary ?? detail ?? "";
  return { form: "call", text, fields: fieldsOf(input, detail, text) };
}

/** One line that says what is asked, for lists. It may be cut there, so nobody approves by it. */
export function lineOf(approval: ApprovalView): string {
  const { form, text, diff } = exactAction(approval);
  const { kind, toolName, summary, action, detail } = approval;
  const paths = form === "change" ? pathsIn(diff ?? "") : [];
  if (paths.length > 0) return paths.join(", ");
  const tool = kind === "task" || toolName === undefined ? undefined : toolTitle(toolName);
  const line = form === "command" ? text : (tool ?? summary ?? detail ?? action ?? text);
  return line.trim().split("\n", 1)[0] || "an action without a description";
}

/** `mcp__demo__echo` and `demo/echo` are the tool echo of the server demo. */
function toolTitle(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? /^([\w.-]+)\/([\w.-]+)$/.exec(name) ?? [];
  return server && tool ? `${server} / ${tool}` : name;
}

/** Whether one line can show the whole action, so that it may be approved there. `most` is in characters. */
export function fitsOneLine(approval: ApprovalView, most: number): boolean {
  const { form, text, diff, fields } = exactAction(approval);
  if (approval.truncated || approval.diffArtifactId !== undefined) return false;
  return (
    form === "command" &&
    !diff &&
    fields.length === 0 &&
    text.length <= most &&
    !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)
  );
}

/** The words for a kind of action. */
export function approvalWords(approval: ApprovalView): ApprovalWords {
  const { form } = exactAction(approval);
  if (approval.kind === "task") return words.task;
  if (approval.kind === "network_egress") return words.network;
  return words[form];
}

const words = {
  command: {
    icon: "terminal",
    question: "May it run this command?",
    short: "Run this command?",
    verb: "Asks to run",
  },
  change: { icon: "edit", question: "May it make this change?", short: "Make this change?", verb: "Asks to change" },
  call: { icon: "plug", question: "May it call this tool?", short: "Call this tool?", verb: "Asks to call" },
  task: { icon: "play", question: "May this run start?", short: "Start this run?", verb: "Asks to start" },
  network: {
    icon: "link",
    question: "May it use the network?",
    short: "Use the network?",
    verb: "Asks for the network",
  },
} as const satisfies Record<string, ApprovalWords>;

/** The paths that a unified diff names. */
export function pathsIn(diff: string): string[] {
  const paths = [...diff.matchAll(/^(?:\+\+\+ b\/|--- a\/)(.+?)\t?$/gm)].map(([, path]) => path ?? "");
  return [...new Set(paths)];
}

const commandKinds: ReadonlySet<string> = new Set(["shell_command", "shell_exec", "git_exec"]);
const shellTools = /^(?:bash|shell|shell_exec|exec|exec_command|run_shell_command|execute|terminal)$/i;

function commandOf(
  kind: string | undefined,
  tool: string | undefined,
  input: unknown,
  detail: string | undefined,
): string | undefined {
  if (!commandKinds.has(kind ?? "") && !shellTools.test(tool ?? "")) return undefined;
  const { command, cmd } = isObject(input) ? input : {};
  const given = command ?? cmd;
  if (typeof given === "string") return given;
  return wordsOf(given) ?? (input === undefined ? detail : undefined);
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The fields of the input that `shown` does not show, and the agent's own words if they say something else. */
function fieldsOf(input: unknown, detail: string | undefined, shown: string): ExactAction["fields"] {
  const entries = isObject(input) ? Object.entries(input) : input === undefined ? [] : [["input", input] as const];
  const own = entries
    .map(([name, value]) => ({ name, text: print(value), words: wordsOf(value) }))
    .filter(({ text, words }) => text !== shown && words !== shown)
    .map(({ name, text }) => ({ name, text }));
  const isSaid =
    !detail || detail === shown || detail === JSON.stringify(input) || own.some(({ text }) => text === detail);
  return isSaid ? own : [{ name: "It says", text: detail }, ...own];
}

/** A command that is a list of words, as a shell reads it. */
const wordsOf = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.map((word) => quoted(String(word))).join(" ") : undefined;

const print = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
