import { createDecoder, type Decoder, type Envelope, isTerminalRunType } from "@spoor/protocol";
import type { Log, Piece } from "../../log/log.ts";
import type { RunRecord } from "../../log/records.ts";
import type { Io } from "../io.ts";
import { printStored, refuseTwoForms } from "../json.ts";
import { printed } from "../printed.ts";
import { createPrefixedScreen, createScreen, type Screen } from "../screen.ts";
import { visible } from "../visible.ts";
import { envelopesOf, lineOf, write } from "./lines.ts";
import { createEnvelopeRenderer } from "./render.ts";

export interface PrintOptions {
  /** Envelopes as they are stored. */
  json?: true;
  /** AgentEvents as JSON lines. */
  agentEvents?: true;
}

export interface EventPrinter {
  piece(piece: Piece): Promise<void>;
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
  if (json) return { piece: ({ bytes }) => printStored(io.stdout, bytes), end: () => {} };
  if (asLines) {
    const linesOf = (piece: Piece) => envelopesOf(piece).map((event) => lineOf(event, run === undefined));
    return { piece: (piece) => write(io.stdout, linesOf(piece).join("")), end: () => {} };
  }
  return storyPrinter(log, run !== undefined, io);
}

function agentEventPrinter(log: Log, io: Io): EventPrinter {
  const decoders = createRunMap((run_id) => decoderFor(log, run_id));
  return {
    async piece(piece) {
      const decoder = await decoders.of(piece.run_id);
      const events = envelopesOf(piece).flatMap((envelope) => decoder.decode(envelope) ?? []);
      if (events.length === 0) return;
      await printStored(io.stdout, events.map((event) => `${JSON.stringify(printed(event))}\n`).join(""));
    },
    end: () => {},
  };
}

/** A stream may be joined in the middle, after the events that name the agent and open its session. */
async function decoderFor(log: Log, run_id: string): Promise<Decoder> {
  const agent = (await log.run(run_id))?.agent ?? "unknown";
  return createDecoder({ state: { agent, session: "open", text: "", thinking: "", inputs: [] } });
}

function storyPrinter(log: Log, isAlone: boolean, io: Io): EventPrinter {
  const screens = new Set<Screen>();
  const shown = createRunMap(async (run_id) => {
    const agent = (await log.run(run_id))?.agent ?? "unknown";
    const prefix = `${run_id.slice(-6)} ${visible(agent)} │ `;
    const screen = isAlone ? createScreen(io.stdout) : createPrefixedScreen(io.stdout, prefix);
    screens.add(screen);
    return { screen, render: createEnvelopeRenderer(io.stdout, { agent, screen }) };
  });
  return {
    async piece(piece) {
      const { screen, render } = await shown.of(piece.run_id);
      const envelopes = envelopesOf(piece);
      for (const envelope of envelopes) render(envelope);
      if (envelopes.some(isLast)) {
        screen.endLine();
        screens.delete(screen);
        shown.forget(piece.run_id);
      }
      // Waits while the reader is behind.
      await write(io.stdout, "");
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
