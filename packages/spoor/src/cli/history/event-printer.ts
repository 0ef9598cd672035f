import { createDecoder, type Decoder, type Envelope, isTerminalRunType } from "@spoor/protocol";
import { envelopesIn } from "../../log/envelopes.ts";
import type { Log, Piece } from "../../log/log.ts";
import { cutOut } from "../../log/pieces/pieces.ts";
import { countOf } from "../../log/ranges.ts";
import type { StoredRun } from "../../log/records.ts";
import type { Io } from "../io.ts";
import { withoutAccumulated } from "../output/agent-event-json.ts";
import { printStored, refuseTwoForms } from "../output/json.ts";
import { createPrefixedScreen, createScreen, type Screen } from "../output/screen.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { createEnvelopeRenderer } from "./envelope-renderer.ts";
import { lineOf, write } from "./event-lines.ts";

export interface PrintOptions {
  /** Print envelopes as they are stored. */
  json?: true;
  /** Print AgentEvents as JSON lines. */
  agentEvents?: true;
}

export interface EventPrinter {
  /** Prints the events of a piece, at most `most` of them. Returns how many it printed. */
  piece(piece: Piece, most?: number): Promise<number>;
  /** Prints the rest of a line that has not ended. */
  end(): void;
}

export interface Printing extends PrintOptions {
  /** The only run that is printed; undefined if there are several. */
  run?: StoredRun | undefined;
  /** Whether every event gets a line, even if the usual view leaves out its type. */
  asLines?: boolean;
}

/** Creates a printer for the form that the flags ask for. */
export function createEventPrinter(log: Log, { json, agentEvents, run, asLines }: Printing, io: Io): EventPrinter {
  refuseTwoForms({ ...(json && { json }), ...(agentEvents && { agentEvents }) });
  if (agentEvents) return agentEventPrinter(log, io);
  if (json) return piecePrinter(({ bytes }) => printStored(io.stdout, bytes));
  if (asLines) {
    const linesOf = (piece: Piece) => envelopesIn(piece).map((event) => lineOf(event, run === undefined));
    return piecePrinter((piece) => write(io.stdout, linesOf(piece).join("")));
  }
  return viewPrinter(log, run !== undefined, io);
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

function viewPrinter(log: Log, isAlone: boolean, io: Io): EventPrinter {
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
      // Wait while the reader is slow (backpressure).
      await write(io.stdout, "");
      return envelopes.length;
    },
    end() {
      for (const screen of screens) screen.endLine();
    },
  };
}

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
