import type { AgentEvent } from "@spoor/protocol";
import { fail, interrupted } from "../agents/kit/failures.ts";
import { asObject, parseObject } from "../agents/kit/json-values.ts";
import type { Adapter, Dialect, Frame } from "../agents/machine.ts";
import type { Signal } from "../agents/signal.ts";
import { createAssembler } from "./assembler.ts";
import { loadPrices } from "./prices.ts";

export interface ParseOptions {
  adapter: Adapter;
  /** Name of the wire; recognised from the first lines when absent. */
  dialect?: string;
  /** How the process ended; a recording that does not tell ended well. */
  exit?: RecordedExit;
  stream?: "auto" | true | false;
  cwd?: string;
  debug?: boolean;
}

/** `interrupted` says that whoever made the recording stopped the agent, which some agents do not tell. */
export interface RecordedExit {
  code: number | null;
  signal: string | null;
  interrupted?: boolean;
}

/** How much of a recording is looked at to tell which wire it is. */
const LOOK_AHEAD = 40;
/** Recordings tell no time; each line is a millisecond after the last, so that the same file gives the same bytes. */
const START = Date.UTC(2026, 0, 1);

/**
 * Reads what an agent printed, as a live run would, without the process. Recordings of both directions, a
 * `{"dir","msg"}` per line, are read as such.
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
  const machine = dialect.createMachine();
  const prices = dialect.tokensOnly ? await loadPrices() : undefined;
  let time = START;
  const assembler = createAssembler({
    agent: adapter.name,
    stream,
    streams: dialect.streams,
    canAsk: dialect.canAsk,
    now: () => time,
    random: () => 0.5,
    ...(prices && { estimate: () => prices }),
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.debug && { debug: true }),
  });

  const read = (line: string): AgentEvent[] => {
    time += 1;
    return assembler.accept(signalsOf(line), line);
  };
  const signalsOf = (line: string): Signal[] => {
    const recorded = recordedFrame(line);
    if (!recorded) return machine.line(line);
    if (recorded.dir === "in") return machine.sent?.(recorded.value) ?? [];
    return machine.line(typeof recorded.value === "string" ? recorded.value : JSON.stringify(recorded.value));
  };

  for (const line of first) yield* read(line);
  while (!ended) {
    const { value, done } = await iterator.next();
    if (done) ended = true;
    else yield* read(value);
  }
  time += 1;
  const last = machine.exit(exit.code, exit.signal);
  const wasStopped =
    exit.interrupted === true && last.some(({ kind, child }) => kind === "fail" && child === undefined);
  yield* assembler.accept(wasStopped ? [fail(interrupted), ...last] : last);
  yield* assembler.finish();
}

/** The wire these lines are of: the one asked for, else the first that knows them, else the one the agent prefers. */
export function chooseDialect(adapter: Adapter, lines: readonly string[], name?: string): Dialect {
  const [preferred] = adapter.dialects;
  if (!preferred) throw new TypeError(`${adapter.name} has no wire.`);
  if (name !== undefined) {
    const named = adapter.dialects.find((dialect) => dialect.name === name);
    if (named) return named;
    const known = adapter.dialects.map((dialect) => dialect.name).join(", ");
    throw new RangeError(`${adapter.name} has no wire named ${JSON.stringify(name)}. It has: ${known}.`);
  }
  const frames = lines.flatMap((line): Frame[] => {
    const recorded = recordedFrame(line);
    if (recorded) return [recorded];
    const value = parseObject(line);
    return value ? [{ dir: "out", value }] : [];
  });
  return adapter.dialects.find((dialect) => dialect.recognises(frames)) ?? preferred;
}

/** A line of a recording of both directions; what such a recording could not parse is kept as text. */
function recordedFrame(line: string): Frame | undefined {
  if (!line.startsWith('{"dir":')) return undefined;
  const frame = asObject(parseObject(line));
  if (frame?.dir !== "in" && frame?.dir !== "out") return undefined;
  return { dir: frame.dir, value: frame.msg ?? frame.raw ?? frame.line ?? "" };
}
