import { age, clock, costWord, dollars, tokens } from "../output/format.ts";
import { fits, type Line, type Part } from "../output/line.ts";
import { plural } from "../output/plural.ts";
import type { Role, Style } from "../output/style.ts";
import { changes, factsOf } from "./call-lines.ts";
import type { RunFacts } from "./facts.ts";

/** What a run does, as a mark, a word and a colour. The web page has the same words. */
export interface ShownState {
  mark: string;
  word: string;
  role: Role;
}

export function shownState(facts: RunFacts, now: number): ShownState {
  if (facts.isStopping) return { mark: "■", word: "Stopping", role: "dim" };
  if (facts.waiting.size > 0) return { mark: "▲", word: "Needs you", role: "yellow" };
  const silent = now - facts.lastAt;
  if (facts.lastAt > 0 && silent > STALLED_AFTER_MS)
    return { mark: "◌", word: `Stalled ${age(silent)}`, role: "magenta" };
  return { mark: "◐", word: "Working", role: "blue" };
}

/** The last row: what the run does, since when, and what it has cost so far. A narrow one has only these. */
export function statusLine(facts: RunFacts, now: number, columns: number, stop: string): Line {
  const { turn, inputTokens, outputTokens } = facts;
  const { mark, word, role } = shownState(facts, now);
  const state: Part = { text: `${mark} ${word}`, role };
  const elapsed = clock(now - (facts.startedAt ?? now));
  const cost = costOf(facts);
  if (columns < NARROW) return [state, elapsed, cost];
  const source = cost === "" ? "" : costWord(facts.costSource);
  const used = inputTokens + outputTokens === 0 ? "" : `${tokens(inputTokens)} in ${tokens(outputTokens)} out`;
  const dot = { text: "·", role: "dim" as const };
  return [
    state,
    ...[turn > 0 ? `turn ${turn}` : "", elapsed, used, cost].flatMap((text, index) =>
      text === ""
        ? []
        : [
            { ...dot, leaves: index === 2 ? 1 : 0 },
            { text, leaves: index === 2 ? 1 : 0 },
          ],
    ),
    { text: `${source} · ${stop}`.trim(), role: "dim", leaves: 2 },
  ];
}

/** The line at the end of a run: how it ended, how long it took, and what it changed and cost. */
export function endLine(facts: RunFacts, { how, now }: { how: Ending; now: number }): Line {
  const { mark, word, role } = endings[how];
  const time = facts.startedAt === undefined ? "" : ` in ${clock(now - facts.startedAt)}`;
  const told = [...facts.files.values()];
  const count = facts.changed?.files ?? told.length;
  const files = facts.changed ? [facts.changed] : told;
  const cost = costOf(facts);
  return [
    { text: `${mark} ${word}`, role },
    ...(time === "" ? [] : [{ text: time.trim() }]),
    ...(facts.turn > 0 ? [{ text: plural(facts.turn, "turn"), join: " · ", leaves: 3 }] : []),
    ...(count > 0
      ? [
          { text: plural(count, "file"), join: " · ", leaves: 2 },
          ...changes(files).map((part): Part => ({ ...part, leaves: 2 })),
        ]
      : []),
    ...(cost === ""
      ? []
      : [
          { text: cost, join: " · " },
          { text: costWord(facts.costSource), role: "dim" as const, leaves: 4 },
        ]),
  ];
}

export type Ending = "completed" | "failed" | "cancelled" | "interrupted" | "aborted" | "timed_out";

const endings: Readonly<Record<Ending, ShownState>> = {
  completed: { mark: "✓", word: "Done", role: "green" },
  failed: { mark: "✗", word: "Failed", role: "red" },
  timed_out: { mark: "✗", word: "Timed out", role: "red" },
  cancelled: { mark: "■", word: "Cancelled", role: "dim" },
  interrupted: { mark: "■", word: "Interrupted", role: "dim" },
  aborted: { mark: "■", word: "Aborted", role: "dim" },
};

const costOf = ({ usd }: RunFacts): string => (usd > 0 ? dollars(Math.round(usd * 1_000_000)) : "");

export interface HeaderFacts {
  agent: string;
  version?: string | undefined;
  model?: string;
  folder?: string;
  id?: string;
}

/** The first line: who works where, and the end of the run's id. The version and then the model go when there is no room. */
export function headerLine({ version, ...facts }: HeaderFacts, style: Style): Line {
  const whole = partsOf({ ...facts, agent: `${facts.agent} ${version ?? ""}`.trim() });
  return fits(whole, style) ? whole : partsOf(facts);
}

function partsOf({ agent, model, folder, id }: Omit<HeaderFacts, "version">): Line {
  const parts: Part[] = [
    { text: agent },
    ...(model === undefined ? [] : [{ text: model, leaves: 2 }]),
    ...(folder === undefined ? [] : [{ text: folder, shrinks: "path" as const, leaves: 1 }]),
    ...(id === undefined ? [] : [{ text: `…${id}` }]),
  ];
  return factsOf(parts.map((part): Part => ({ ...part, role: "dim" })));
}

/** As in `spoor ls`: nothing was heard for two minutes. */
const STALLED_AFTER_MS = 120_000;
const NARROW = 60;
