import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { specOf } from "../../runtime/specification/spec-of.ts";

/** Something that was said in a conversation. */
export interface Said {
  role: "user" | "assistant";
  text: string;
}

/** What was said up to the end of a run, including the runs that it continues in the same session. */
export async function historyOf(log: Log, run: StoredRun): Promise<Said[]> {
  const runs = await sessionOf(log, run);
  const [first] = runs;
  const said: Said[] = [...((first && (await specOf(log, first))?.history) ?? [])];
  for (const { run_id } of runs) {
    for await (const { type, data } of readEnvelopes(log, { run_id, match: isSaid })) {
      if (typeof data.text !== "string" || data.text === "") continue;
      const role = type === "user.message" ? "user" : "assistant";
      // A prompt that told the agent what was said before holds it itself.
      said.push(...(role === "user" ? saidIn(data.text) : [{ role, text: data.text } as const]));
    }
  }
  return said;
}

/** A prompt that tells an agent what was said before it. */
export function withHistory(history: readonly Said[], text: string): string {
  if (history.length === 0) return text;
  const told = newest(history).map((said) => `${OPEN[said.role]}\n${quoted(said.text)}\n`);
  return `${BEGIN}\n\n${told.join("\n")}\n${END}\n\n${text}`;
}

/** What such a prompt itself asks. */
export const withoutHistory = (prompt: string): string => saidIn(prompt).at(-1)?.text ?? prompt;

const BEGIN = "This conversation was begun elsewhere. This was said so far:";
const END = "Now go on with it. The user says:";
const OPEN = { user: "[user]", assistant: "[assistant]" } as const;

/**
 * Nobody speaks for another: a line that looks like one of ours begins with a backslash. An agent may repeat what a file says,
 * and that is not what the user said.
 */
const ownLines = `(?:\\[user\\]|\\[assistant\\]|${END.replaceAll(".", "\\.")})`;
const quoted = (text: string): string => text.replaceAll(new RegExp(`^(\\\\*${ownLines}[ \\t\\r]*)$`, "gm"), "\\$1");
const unquoted = (text: string): string =>
  text.replaceAll(new RegExp(`^\\\\(\\\\*${ownLines}[ \\t\\r]*)$`, "gm"), "$1");

/** Agents refuse prompts that do not fit; the oldest words matter least. */
const MAX_HISTORY_CHARACTERS = 100_000;

/** The newest words that fit, and at least the last. */
export function newest(history: readonly Said[]): readonly Said[] {
  let first = history.length - 1;
  let room = MAX_HISTORY_CHARACTERS - (history[first]?.text.length ?? 0);
  while (first > 0) {
    room -= history[first - 1]?.text.length ?? 0;
    if (room < 0) break;
    first -= 1;
  }
  return history.slice(first);
}

/** What was said in a prompt, with what it itself asks at the end. */
export function saidIn(prompt: string): Said[] {
  const end = prompt.startsWith(`${BEGIN}\n`) ? prompt.indexOf(`\n${END}\n\n`) : -1;
  if (end === -1) return [{ role: "user", text: prompt }];
  const parts = prompt.slice(BEGIN.length + 1, end).split(/^\[(user|assistant)\]$\n/m);
  const before = parts.flatMap((part, index) =>
    index % 2 === 1 ? [{ role: part as Said["role"], text: unquoted((parts[index + 1] ?? "").trim()) }] : [],
  );
  return [...before, { role: "user", text: prompt.slice(end + END.length + 3) }];
}

/** The runs of one session of an agent, the oldest first. */
async function sessionOf(log: Log, run: StoredRun): Promise<StoredRun[]> {
  const spec = await specOf(log, run);
  const { mode, run_id } = spec?.continues ?? {};
  const prior = mode === "continue" || mode === "resume" ? await log.run(run_id ?? "") : undefined;
  return prior ? [...(await sessionOf(log, prior)), run] : [run];
}

const isSaid = (type: string): boolean => type === "user.message" || type === "assistant.text_complete";
