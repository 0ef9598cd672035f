import type { NewTask } from "@spoor/protocol/client";
import { stored } from "../ui/stored.ts";

/** What the form holds. Everything is text, as it was typed. */
export interface Draft {
  readonly agent: string;
  readonly prompt: string;
  readonly folder: string;
  readonly model: string;
  readonly budget: string;
  readonly approve: "" | "ask" | "auto" | "deny";
  readonly rules: string;
  readonly turns: string;
  readonly minutes: string;
  readonly place: "in_place" | "worktree" | "clone";
}

export type Field = keyof Draft;

export const emptyDraft: Draft = {
  ...{ agent: "", prompt: "", folder: "", model: "", budget: "", approve: "", rules: "" },
  ...{ turns: "", minutes: "", place: "in_place" },
};

/** The draft of this browser. It stays until the run was started. */
export const draft = stored<Draft>("draft.new-run", parse, (value) =>
  value === emptyDraft ? null : JSON.stringify(value),
);

function parse(text: string | null): Draft {
  try {
    const known = JSON.parse(text ?? "{}") as Record<string, unknown>;
    const kept = Object.entries(emptyDraft).map(([name, empty]) => [
      name,
      typeof known[name] === "string" ? known[name] : empty,
    ]);
    return Object.fromEntries(kept) as unknown as Draft;
  } catch {
    return emptyDraft;
  }
}

/** What is wrong with a field, by the field. `form` is what belongs to none. */
export type Problems = { readonly [name in Field | "form"]?: string };

/** The task that the draft asks for, or what is wrong with it. The server checks the rest. */
export function taskOf(form: Draft): { task: NewTask } | { problems: Problems } {
  const problems: { -readonly [name in keyof Problems]: Problems[name] } = {};
  const figure = (field: Field, factor: number, what: string): number | undefined => {
    const text = form[field].trim().replace(/^\$/, "").replace(",", ".");
    if (text === "") return undefined;
    const value = Math.round(Number(text) * factor);
    if (Number.isSafeInteger(value) && value > 0) return value;
    problems[field] = `${what} must be a number greater than 0, not “${form[field]}”.`;
    return undefined;
  };
  if (form.agent === "") problems.agent = "Choose an agent.";
  if (form.prompt.trim() === "") problems.prompt = "Say what the agent shall do.";
  const budget = figure("budget", 1_000_000, "The budget");
  const turns = figure("turns", 1, "The limit of turns");
  const timeout = figure("minutes", 60_000, "The limit of minutes");
  if (Object.keys(problems).length > 0) return { problems };
  const isLoop = form.agent === LOOP;
  const rules = form.rules.split("\n").filter((line) => line.trim() !== "");
  const folder = form.folder.trim();
  return {
    task: {
      kind: isLoop ? "agent_loop" : "agent",
      prompt: form.prompt,
      start: true,
      ...(!isLoop && { agent: form.agent }),
      ...(form.model.trim() !== "" && { model: form.model.trim() }),
      ...((folder !== "" || form.place !== "in_place") && {
        workspace: { mode: form.place, ...(folder !== "" && { path: folder }) },
      }),
      ...(budget !== undefined && { budget_micros_usd: budget }),
      ...(form.approve !== "" && { approve: form.approve }),
      ...(rules.length > 0 && { policy: rules }),
      ...(turns !== undefined && { max_turns: turns }),
      ...(timeout !== undefined && { timeout_ms: timeout }),
    },
  };
}

/** The name under which the list of agents holds our own loop. */
export const LOOP = "loop";

/** Sorts what the server says to the fields that it is about. Each line of it is one sentence. */
export function problemsOf(message: string): Problems {
  const problems: { -readonly [name in keyof Problems]: string } = {};
  for (const line of message.split("\n").filter(Boolean)) {
    const field = about.find(([pattern]) => pattern.test(line))?.[1] ?? "form";
    const said = inWordsOfTheForm(line);
    problems[field] = problems[field] === undefined ? said : `${problems[field]}\n${said}`;
  }
  return problems;
}

const about: readonly (readonly [RegExp, Field])[] = [
  [/^(The )?prompt\b/i, "prompt"],
  [/^(budget|The budget)|reports? (no|neither) (cost|usage)/i, "budget"],
  [/^workspace\.mode|workspace mode|git repository/i, "place"],
  [/^(workspace|The folder)|works in .* which overlaps/i, "folder"],
  [/^(model|There is no model|The model)\b/i, "model"],
  [/^policy\b|^The rule/i, "rules"],
  [/^approve\b/i, "approve"],
  [/^max_turns\b/i, "turns"],
  [/^timeout_ms\b/i, "minutes"],
  [/^(agent\b|There is no agent)|is not installed/i, "agent"],
];

/** The server calls the fields by their names in its interface. */
const inWordsOfTheForm = (line: string): string =>
  line.replace(/^workspace\.path must be a folder/, "This must be a folder").replace(/^policy:(\d+):/, "Line $1:");
