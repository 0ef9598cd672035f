import { isTerminalRunType } from "@spoor/protocol";
import { envelopesIn } from "../../log/envelopes.ts";
import { readPieces } from "../../log/feed/follow.ts";
import type { Log, Piece } from "../../log/log.ts";
import { cutOut } from "../../log/pieces/pieces.ts";
import { countOf, countUpTo } from "../../log/ranges.ts";
import type { StoredRun } from "../../log/records.ts";
import {
  type LineLanguage,
  type LineLanguageName,
  type LineTranslator,
  lineLanguages,
} from "../../translators/line-languages.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { printStored } from "../output/json.ts";
import type { EventPrinter } from "./printer.ts";

interface TranslatedOptions {
  as: LineLanguageName;
  run: StoredRun | undefined;
  stalledAfter?: number;
}

/** A run that is printed. */
interface Joined {
  translator: LineTranslator;
  /** The last event that the translator has read. */
  sequence: number;
}

/** Nothing more is said of a run that is over, so its translator need not be kept. */
const over: Joined = { translator: { translate: () => [], cut: () => [] }, sequence: Number.POSITIVE_INFINITY };

/** Runs of each status that are shown at the beginning. */
const MOST_PANES = 200;
const FOUR_HOURS = 4 * 60 * 60 * 1000;

/** Prints runs as lines of JSON in another language. A run that is joined later is read from its beginning, silently. */
export function translatedPrinter(
  log: Log,
  { as, run, stalledAfter = FOUR_HOURS }: TranslatedOptions,
  io: Io,
): EventPrinter {
  const language: LineLanguage = lineLanguages[as];
  if (!run && !language.namesRuns) {
    throw new ExitError(
      2,
      `--as ${as} needs a run: its lines do not say which run they belong to. Name one, or \`last\`.`,
    );
  }
  const open = new Map<string, Joined>();
  const print = async (lines: readonly object[]): Promise<void> => {
    if (lines.length > 0) await printStored(io.stdout, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };

  /** Lets the translator of a run read, silently, what the run did before. `past` counts the events of a piece that are that. */
  async function join(run_id: string, past: (piece: Piece) => number): Promise<LineTranslator> {
    const joined = open.get(run_id) ?? { translator: await language.open(), sequence: -1 };
    for await (const piece of readPieces(log, { run_id, after: joined.sequence })) {
      const count = past(piece);
      for (const envelope of envelopesIn(cutOut(piece, 0, count))) {
        joined.translator.translate(envelope);
        joined.sequence = envelope.sequence;
      }
      if (count < countOf(piece.sequences)) break;
    }
    // Only now, because `check` may be called meanwhile, and a run of which half was read looks stalled.
    open.set(run_id, joined);
    return joined.translator;
  }

  return {
    async begin({ after = -1, agent, task_id }) {
      if (run) return;
      const selected = { ...(agent !== undefined && { agent }), ...(task_id !== undefined && { task_id }) };
      for (const status of ["running", "awaiting_approval", "queued"] as const) {
        const { runs } = await log.runs({ ...selected, status, limit: MOST_PANES });
        for (const { run_id } of runs.toReversed()) {
          const translator = await join(run_id, ({ positions }) => countUpTo(positions, after));
          const pane = translator.pane?.();
          await print(pane ? [pane] : []);
        }
      }
    },
    async piece(piece, most = Number.POSITIVE_INFINITY) {
      const envelopes = envelopesIn(piece);
      const [first] = envelopes;
      const last = envelopes.at(-1);
      if (!first || !last) return 0;
      const before = first.sequence - 1;
      const known = open.get(piece.run_id);
      const translator =
        known && known.sequence >= before
          ? known.translator
          : await join(piece.run_id, ({ sequences }) => countUpTo(sequences, before));
      const lines = envelopes.flatMap((envelope) => translator.translate(envelope)).slice(0, most);
      await print(lines);
      const isOver = envelopes.some(({ type }) => isTerminalRunType(type));
      open.set(piece.run_id, isOver ? over : { translator, sequence: last.sequence });
      return lines.length;
    },
    async check(now) {
      await print([...open.values()].flatMap(({ translator }) => translator.check?.(now, stalledAfter) ?? []));
    },
    end: () => {},
  };
}
