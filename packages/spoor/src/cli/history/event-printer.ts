import { createDecoder, type Decoder, type Envelope, isTerminalRunType } from "@spoor/protocol";
import { envelopesIn } from "../../log/envelopes.ts";
import type { Log, Piece } from "../../log/log.ts";
import { cutOut } from "../../log/pieces/pieces.ts";
import { countOf } from "../../log/ranges.ts";
import type { RunRecord } from "../../log/records.ts";
import type { Io } from "../io.ts";
import { withoutAccumulated } from "../output/agent-event-json.ts";
import { printStored, refuseTwoForms } from "../output/json.ts";
import { createPrefixedScreen, createScreen, type Screen } from "../output/screen.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { createEnvelopeRenderer } from "./envelope-renderer.ts";
import { lineOf, write } from "./event-lines.ts";

export interface PrintOptions {
  /** Envelopes as they are stored. */
  json?: true;
  /** AgentEvents as JSON lines. */
  agentEvents?: true;
}

export interface EventPrinter {
  /** Prints at most so many events, all unless it is said; tells how many it printed. */
  piece(piece: Piece, most?: number): Promise<number>;
  /** Shows what is held back of a line that did not end. */
  end(): void;
}

export interface Printing extends PrintOptions {
  /** The one run that is printed; undefined is several. */
  run?: RunRecord | undefined;
  /** A line for each event, for whoever asked for types that a story leaves out. */
  asLines?: boolean;
}

/** Prints events of one run or of several in the form that was asked for. */
export function createEventPrinter(log: Log, { json, agentEvents, run, asLines }: Printing, io: Io): EventPrinter {
  refuseTwoForms({ ...(json && { json }), ...(agentEvents && { agentEvents }) });
  if (agentEvents) return agentEventPrinter(log, io);
  if (json) return piecePrinter(({ bytes }) => printStored(io.stdout, bytes));
  if (asLines) {
    const linesOf = (piece: Piece) => envelopesIn(piece).map((event) => lineOf(event, run === undefined));
    return piecePrinter((piece) => write(io.stdout, linesOf(piece).join("")));
  }
  return storyPrinter(log, run !== undefined, io);
}

/** One that prints something for every envelope. */
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

/** Some envelopes are no AgentEvent, so events are counted after they were decoded. */
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

/** A stream may be joined in the middle, after the events that name the agent and open its session. */
async function decoderFor(log: Log, run_id: string): Promise<Decoder> {
  const agent = (await log.run(run_id))?.agent ?? "unknown";
  return createDecoder({ state: { agent, session: "open", texts: [] } });
}

function storyPrinter(log: Log, isAlone: boolean, io: Io): EventPrinter {
  const screens = new Set<Screen>();
  const shown = createRunMap(async (run_id) => {
    const agent = (await log.run(run_id))?.agent ?? "unknown";
    const prefix = `${run_id.slice(-6)} ${terminalSafe(agent)} │ `;
    const screen = isAlone ? createScreen(io.stdout) : createPrefixedScreen(io.stdout, prefix);
    screens.add(screen);
    return { screen, render: createEnvelopeRenderer(io.stdout, { agent, screen }) };
  });
  return {
    async piece(piece) {
      const { screen, render } = await shown.of(piece.run_id);
      const envelopes = envelopesIn(piece);
      for (const envelope of envelopes) render(envelope);
      if (envelopes.some(isLast)) {
        screen.endLine();
        screens.delete(screen);
        shown.forget(piece.run_id);
      }
      // Waits while the reader is behind.
      await write(io.stdout, "");
      return envelopes.length;
    },
    end() {
      for (const screen of screens) screen.endLine();
    },
  };
}

const isLast = ({ type }: Envelope): boolean => isTerminalRunType(type);

/** What is kept for each run, made when the run is first met. */
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
