import type { AgentEvent } from "@spoor/protocol";
import type { Adapter } from "../../agents/machine.ts";
import { chooseDialect } from "../../assemble/parse.ts";
import { loadPrices } from "../../assemble/prices.ts";
import type { IsRetried } from "../../assemble/retry-gate.ts";
import { entryOf, type WireEntry } from "../../assemble/wire-line.ts";
import { WireReader } from "../../assemble/wire-reader.ts";
import type { TapeLine } from "../../log/log.ts";
import { codeOf } from "../../run/retry.ts";
import type { Act } from "./acts.ts";
import type { TapeHeader } from "./header.ts";
import { readPiece } from "./pieces.ts";
import type { Retry } from "./retries.ts";

export interface Replay {
  line(line: TapeLine): readonly AgentEvent[];
  /** An action of a person or of Spoor that no line of the tape shows. */
  act(act: Act): readonly AgentEvent[];
  finish(): readonly AgentEvent[];
}

/** Facts that the lines of a tape do not show. */
export interface ReplayOptions {
  /** Spoor's own retries, one for each exit that was retried. */
  retries?: readonly Retry[];
  /** Turns that the session had before the run. */
  priorTurns?: number | undefined;
  /** Whether one of the acts ends the run. */
  isEndedByUs?: boolean;
}

/** Reads the lines of a tape with today's adapter, as the live run read them. */
export async function createReplay(
  adapter: Adapter,
  header: TapeHeader,
  runId: string,
  { retries = [], priorTurns, isEndedByUs = false }: ReplayOptions = {},
): Promise<Replay> {
  const dialect = chooseDialect(adapter, [], header.dialect);
  const prices = dialect.tokensOnly || header.estimates ? await loadPrices() : undefined;
  let time = 1;
  const reader = new WireReader({
    agent: header.agent,
    dialect,
    runId,
    cwd: header.cwd,
    stream: header.stream,
    mayAsk: header.can_ask,
    now: () => time,
    random: Math.random,
    prices: () => prices,
    ...(header.estimates && { estimates: header.estimates }),
    isInterruptionExpected: isEndedByUs,
    ...(header.approve && { approve: header.approve }),
    ...(header.gated && { isGated: true }),
    ...(header.no_session && { noSession: true }),
    ...(header.resumed && { resumed: true }),
    ...(priorTurns !== undefined && { priorTurns: () => priorTurns }),
    ...(header.forked_from !== undefined && { forkedFrom: header.forked_from }),
    ...(retries.length > 0 && { isRetried: isRetriedAs(retries) }),
  });
  const retriesToCome = [...retries];
  let isStarted = false;
  /** The exit that was read last, until it is known whether another process followed. */
  let exit: WireEntry | undefined;
  /** Whether a further prompt was given, but the frame that carries it has not been read yet. */
  let isPromptDue = false;

  function read(entry: WireEntry): readonly AgentEvent[] {
    if (entry.from === "exit") return readExit(entry);
    // Tapes of old versions have notes about the workspace after the exit of the process.
    if (exit && entry.from !== "host") {
      exit = undefined;
      reader.nextProcess();
    }
    if (isPromptDue && entry.from === "stdin") {
      isPromptDue = false;
      reader.prompted();
    }
    return reader.read(entry).events;
  }

  function readExit(entry: WireEntry): readonly AgentEvent[] {
    const retry = retriesToCome.shift();
    if (!retry) {
      exit = entry;
      return [];
    }
    if (retry.cause) reader.endBecause(retry.cause);
    const { events } = reader.read(entry);
    time = retry.at;
    return [...events, ...reader.retry(retry.fact).events];
  }

  return {
    line(line) {
      time = line.at;
      if (isStarted) return read(entryOfTape(line));
      isStarted = true;
      return [...reader.start().events, ...read(entryOfTape(line))];
    },
    act({ at, userInput, signal }) {
      if (userInput) isPromptDue ||= userInput.via !== "answer";
      if (!signal) return [];
      time = at;
      if (signal.kind === "fail") reader.endBecause(signal.event);
      return signal.kind === "pause" && !reader.isEnded ? reader.pause(signal.paused).events : [];
    },
    finish() {
      const last = exit ? reader.read(exit).events : [];
      return [...last, ...reader.finish().events];
    },
  };
}

/** On the tape, every failure before the last retry was retried, and none after it. */
const isRetriedAs =
  ({ length }: readonly Retry[]): IsRetried =>
  (failure, retries) =>
    retries < length && codeOf(failure) !== undefined;

/** A tape stores the pieces of long lines in frames of a special form. */
function entryOfTape({ from, text }: TapeLine): WireEntry {
  const piece = from === "stdout" || from === "stderr" ? readPiece(text) : undefined;
  return entryOf(piece ? { from, text: piece.text, piece: piece.isLast ? "last" : "more" } : { from, text });
}
