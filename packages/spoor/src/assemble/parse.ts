import type { AgentEvent } from "@spoor/protocol";
import { interrupted } from "../agents/kit/failures.ts";
import { asObject, parseObject } from "../agents/kit/json-values.ts";
import type { Adapter, Dialect, Frame } from "../agents/machine.ts";
import { loadPrices } from "./prices.ts";
import type { WireEntry } from "./wire-line.ts";
import { WireReader } from "./wire-reader.ts";

/** Which adapter reads a recording, and how. */
export interface ParseOptions {
  adapter: Adapter;
  /** Name of the dialect; recognised from the first lines when absent. */
  dialect?: string;
  /** How the process ended; by default it exited with code 0. */
  exit?: RecordedExit;
  stream?: "auto" | true | false;
  cwd?: string;
  debug?: boolean;
}

/** How the process of a recording ended. */
export interface RecordedExit {
  code: number | null;
  signal: string | null;
  /** Whether the agent was stopped while it was recorded. Not every agent reports that itself. */
  interrupted?: boolean;
}

/** How many lines of a recording are used to recognise its dialect. */
const LOOK_AHEAD = 40;
/** Recordings have no times. Each line counts as one millisecond, so that the same file gives the same bytes. */
const START = Date.UTC(2026, 0, 1);

/**
 * Parses the output of an agent and returns the events that a live run would emit. A recording of both directions has one
 * `{"dir","msg"}` object per line.
 *
 * @example
 * const claude = adapters.find(({ name }) => name === "claude");
 * const file = await open("recording.jsonl");
 * if (claude) for await (const event of parse(file.readLines(), { adapter: claude })) console.log(event.type);
 */
export async function* parse(lines: AsyncIterable<string>, options: ParseOptions): AsyncGenerator<AgentEvent> {
  const { adapter, exit = { code: 0, signal: null }, stream = "auto" } = options;
  const iterator = lines[Symbol.asyncIterator]();
  const first: string[] = [];
  let ended = false;
  while (first.length < LOOK_AHEAD && !ended) {
    const { value, done } = await iterator.next();
    if (done) ended = true;
    else first.push(value);
  }
  const dialect = chooseDialect(adapter, first, options.dialect);
  const prices = dialect.tokensOnly ? await loadPrices() : undefined;
  let time = START;
  const reader = new WireReader({
    agent: adapter.name,
    dialect,
    stream,
    now: () => time,
    random: () => 0.5,
    prices: () => prices,
    isRecording: true,
    isInterruptionExpected: true,
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.debug && { debug: true }),
  });
  const read = (line: string): readonly AgentEvent[] => {
    time += 1;
    return reader.read(entryOf(line), line).events;
  };

  for (const line of first) yield* read(line);
  while (!ended) {
    const { value, done } = await iterator.next();
    if (done) ended = true;
    else yield* read(value);
  }
  time += 1;
  if (exit.interrupted) reader.endBecause(interrupted);
  yield* reader.read({ from: "exit", code: exit.code, signal: exit.signal }).events;
  yield* reader.finish().events;
}

/** The dialect of these lines: the named one, else the first that recognises them, else the agent's preferred one. */
export function chooseDialect(adapter: Adapter, lines: readonly string[], name?: string): Dialect {
  const [preferred] = adapter.dialects;
  if (!preferred) throw new TypeError(`${adapter.name} has no dialect.`);
  if (name !== undefined) {
    const named = adapter.dialects.find((dialect) => dialect.name === name);
    if (named) return named;
    const known = adapter.dialects.map((dialect) => dialect.name).join(", ");
    throw new RangeError(`${adapter.name} has no dialect named ${JSON.stringify(name)}. It has: ${known}.`);
  }
  const frames = lines.flatMap((line): Frame[] => {
    const recorded = recordedFrame(line);
    if (recorded) return [recorded];
    const value = parseObject(line);
    return value ? [{ dir: "out", value }] : [];
  });
  return adapter.dialects.find((dialect) => dialect.recognises(frames)) ?? preferred;
}

/**
 * A line of a recording of both directions; the text of a line that could not be parsed while recording is in `raw` or
 * `line`.
 */
function recordedFrame(line: string): Frame | undefined {
  if (!line.startsWith('{"dir":')) return undefined;
  const frame = asObject(parseObject(line));
  if (frame?.dir !== "in" && frame?.dir !== "out") return undefined;
  return { dir: frame.dir, value: frame.msg ?? frame.raw ?? frame.line ?? "" };
}

function entryOf(line: string): WireEntry {
  const recorded = recordedFrame(line);
  if (!recorded) return { from: "stdout", text: line };
  const { dir, value } = recorded;
  if (dir === "in") return { from: "stdin", text: JSON.stringify(value) };
  return { from: "stdout", text: typeof value === "string" ? value : JSON.stringify(value) };
}
