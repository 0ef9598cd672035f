import { createDecoder, type Decoder, type Envelope, isTerminalRunType } from "@spoor/protocol";
import { envelopesIn } from "../../log/envelopes.ts";
import { readPieces } from "../../log/feed/follow.ts";
import type { Log, Piece } from "../../log/log.ts";
import { cutOut } from "../../log/pieces/pieces.ts";
import { countOf } from "../../log/ranges.ts";
import type { StoredRun } from "../../log/records.ts";
import type { LineLanguageName } from "../../translators/line-languages.ts";
import type { Io } from "../io.ts";
import { withoutAccumulated } from "../output/agent-event-json.ts";
import { padEnd } from "../output/columns.ts";
import { Display } from "../output/display.ts";
import { endOfId } from "../output/format.ts";
import { printStored, refuseTwoForms } from "../output/json.ts";
import { createPrefixedScreen, createScreen } from "../output/screen.ts";
import type { Role } from "../output/style.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { write } from "../output/write.ts";
import { changesIn } from "../render/facts.ts";
import { keepLive } from "../render/live-run.ts";
import { fromHome, pathsIn } from "../render/paths.ts";
import { headerLine } from "../render/status-line.ts";
import type { ViewOptions } from "../render/view-options.ts";
import { EnvelopeRenderer } from "./envelope-renderer.ts";
import { lineOf } from "./event-lines.ts";
import type { EventPrinter } from "./printer.ts";
import { translatedPrinter } from "./translated-printer.ts";

export interface PrintOptions {
  /** Print envelopes as they are stored. */
  json?: true;
  /** Print AgentEvents as JSON lines. */
  agentEvents?: true;
  /** Print the lines of another language. */
  as?: LineLanguageName;
}

export interface Printing extends PrintOptions, ViewOptions {
  /** The only run that is printed; undefined if there are several. */
  run?: StoredRun | undefined;
  /** Whether every event gets a line, even if the usual view leaves out its type. */
  asLines?: boolean;
  /** Whether a run is printed from its beginning. */
  isWhole?: boolean;
  /** Whether old events are shown at the pace they had. */
  isReplay?: boolean;
  /** How to stop, for the status line. */
  stop?: string;
  /** After how many silent milliseconds a run counts as stalled, for languages that tell it. */
  stalledAfter?: number;
}

/** Creates a printer for the form that the flags ask for. */
export function createEventPrinter(log: Log, printing: Printing, io: Io): EventPrinter {
  const { json, agentEvents, as, run, asLines, stalledAfter, ...view } = printing;
  refuseTwoForms({ ...(json && { json }), ...(agentEvents && { agentEvents }), ...(as && { as }) });
  if (as) return translatedPrinter(log, { as, run, ...(stalledAfter !== undefined && { stalledAfter }) }, io);
  if (agentEvents) return agentEventPrinter(log, io);
  if (json) return piecePrinter(({ bytes }) => printStored(io.stdout, bytes));
  if (asLines) {
    const linesOf = (piece: Piece) => envelopesIn(piece).map((event) => lineOf(event, run === undefined));
    return piecePrinter((piece) => write(io.stdout, linesOf(piece).join("")));
  }
  return viewPrinter(log, { ...view, run }, io);
}

/** A printer that prints something for every envelope. */
function piecePrinter(print: (piece: Piece) => Promise<void>): EventPrinter {
  return {
    async piece(piece, most = Number.POSITIVE_INFINITY) {
      const count = countOf(piece.sequences);
      await print(count > most ? cutOut(piece, 0, most) : piece);
      return Math.min(count, most);
    },
    end: () => {},
  };
}

/** Counts events after decoding them, because some envelopes have no AgentEvent. */
function agentEventPrinter(log: Log, io: Io): EventPrinter {
  const decoders = createRunMap((run_id) => decoderFor(log, run_id));
  return {
    async piece(piece, most) {
      const decoder = await decoders.of(piece.run_id);
      const decoded = envelopesIn(piece).flatMap((envelope) => decoder.decode(envelope) ?? []);
      const events = decoded.slice(0, most);
      if (events.length > 0)
        await printStored(io.stdout, events.map((event) => `${JSON.stringify(withoutAccumulated(event))}\n`).join(""));
      return events.length;
    },
    end: () => {},
  };
}

/** A reader may join a run after the events that name its agent and open its session. */
async function decoderFor(log: Log, run_id: string): Promise<Decoder> {
  const agent = (await log.run(run_id))?.agent ?? "unknown";
  return createDecoder({ state: { agent, session: "open", texts: [] } });
}

function viewPrinter(log: Log, options: Printing, io: Io): EventPrinter {
  const { run: only, output = "some", thinking = false, stop = "Ctrl-C stop following" } = options;
  const display = new Display(io);
  const open = new Set<EnvelopeRenderer>();
  const views = createRunMap(async (run_id) => {
    const run = only ?? (await log.run(run_id));
    const agent = run?.agent ?? "unknown";
    const id = endOfId(run_id);
    const prefix = { text: `${id} ${padEnd(terminalSafe(agent), 8)} `, short: `${id} `, role: colourOf(run_id) };
    const screen = only ? createScreen(display) : createPrefixedScreen(display, prefix);
    const path = pathsIn(run?.workspace_path);
    const isWhole = options.isWhole ?? true;
    const view = new EnvelopeRenderer(screen, { agent, output, thinking, run: endOfId(run_id), path, isWhole });
    if (only) {
      const { model, workspace_path: folder } = only;
      const header = {
        agent,
        ...(model !== undefined && { model }),
        ...(folder !== undefined && { folder: fromHome(folder) }),
      };
      if (Number.isFinite(display.out.columns)) {
        const version = await versionIn(log, run_id);
        screen.line(headerLine({ ...header, version, id: endOfId(run_id) }, screen.style));
        screen.blank();
      }
      // In a replay, now is the time of the last event.
      const now = options.isReplay ? () => view.run.facts.lastAt : Date.now;
      keepLive(display, view.run, { title: only.title, stop, now });
    }
    open.add(view);
    return view;
  });
  const close = () => {
    for (const view of open) view.run.flush();
    open.clear();
    display.close();
  };
  return {
    async piece(piece) {
      const view = await views.of(piece.run_id);
      const envelopes = envelopesIn(piece);
      const isEnd = envelopes.some(isLast);
      if (isEnd) view.run.facts.changed = changesIn(await log.run(piece.run_id));
      for (const envelope of envelopes) view.envelope(envelope);
      if (isEnd) {
        view.run.flush();
        // Events of the task may follow. The view of the only run shows them without a second head.
        if (only) display.keep(undefined);
        else {
          open.delete(view);
          views.forget(piece.run_id);
        }
      }
      // Wait while the reader is slow (backpressure).
      await write(io.stdout, "");
      return envelopes.length;
    },
    end: close,
  };
}

/** The version of the agent, if the first events of the run tell it. */
async function versionIn(log: Log, run_id: string): Promise<string | undefined> {
  for await (const piece of readPieces(log, { run_id })) {
    const start = envelopesIn(piece).find(({ type }) => type === "session.started");
    return typeof start?.data.agent_version === "string" ? start.data.agent_version : undefined;
  }
  return undefined;
}

/** One of five colours, the same for a run wherever it is shown. */
function colourOf(run_id: string): Role {
  let sum = 0;
  for (const character of run_id) sum = (sum * 31 + character.charCodeAt(0)) % 1_000_003;
  return colours[sum % colours.length] ?? "blue";
}

const colours: readonly Role[] = ["cyan", "green", "yellow", "blue", "magenta"];

const isLast = ({ type }: Envelope): boolean => isTerminalRunType(type);

/** Holds a value for each run. The value is made at the first event of the run. */
function createRunMap<Value>(make: (run_id: string) => Promise<Value>) {
  const values = new Map<string, Value>();
  return {
    async of(run_id: string): Promise<Value> {
      const known = values.get(run_id) ?? (await make(run_id));
      values.set(run_id, known);
      return known;
    },
    forget: (run_id: string) => values.delete(run_id),
  };
}
