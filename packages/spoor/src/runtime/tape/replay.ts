import type { AgentEvent, ErrorCode } from "@spoor/protocol";
import type { HostNote } from "../../agents/host.ts";
import { asObject, parseObject } from "../../agents/kit/json-values.ts";
import type { Adapter, Machine } from "../../agents/machine.ts";
import type { Signal } from "../../agents/signal.ts";
import { createAssembler } from "../../assemble/assembler.ts";
import { approvalOf } from "../../assemble/assembler-of.ts";
import { chooseDialect } from "../../assemble/parse.ts";
import { loadPrices } from "../../assemble/prices.ts";
import { LastWords } from "../../assemble/stderr-tail.ts";
import { errorTable } from "../../failures/error-table.ts";
import type { TapeLine } from "../../log/log.ts";
import { defaultRetryPolicy, type RetryPolicy } from "../../options/retry-policy.ts";
import { longLine } from "../../run/long-line.ts";
import { RetryGate } from "../../run/retry-gate.ts";
import type { TapeHeader } from "./header.ts";
import { readPiece, type TapePiece } from "./pieces.ts";
import type { Retry } from "./retries.ts";

export interface Replay {
  line(line: TapeLine): AgentEvent[];
  /** What we did to the run, which no line of it tells. */
  tell(signal: Signal, at: number): AgentEvent[];
  finish(): AgentEvent[];
}

/** What no line of a tape tells. */
export interface ReplayOptions {
  /** Those of our own, one for each exit. */
  retries?: readonly Retry[];
  /** Turns that the session had before the run, as the agent's own files told then. */
  priorTurns?: number | undefined;
}

/** Reads the lines of a tape as the live run did, with today's adapter. */
export async function createReplay(
  adapter: Adapter,
  header: TapeHeader,
  runId: string,
  { retries = [], priorTurns }: ReplayOptions = {},
): Promise<Replay> {
  const dialect = chooseDialect(adapter, [], header.dialect);
  const prices = dialect.tokensOnly ? await loadPrices() : undefined;
  let time = 1;
  const toCome = [...retries];
  const gate = new RetryGate(policyOf(retries), () => true);
  let lastWords = new LastWords();
  /** Why the run ended, where that was our doing. */
  let cause: Signal | undefined;
  let machine: Machine | undefined = dialect.createMachine();
  /** How the process ended, until it is known whether another followed. */
  let exit: { code: number | null; signal: string | null } | undefined;
  const assembler = createAssembler({
    agent: header.agent,
    runId,
    cwd: header.cwd,
    stream: header.stream,
    streams: dialect.streams,
    ...(header.approve ? approvalOf(dialect, header.approve) : { canAsk: dialect.canAsk && header.can_ask }),
    now: () => time,
    ...(header.no_session && { noSession: true }),
    ...(header.resumed && { resumed: true }),
    ...(priorTurns !== undefined && { priorTurns: () => priorTurns }),
    ...(header.forked_from !== undefined && { forkedFrom: header.forked_from }),
    ...(prices && { estimate: () => prices }),
  });

  function begin(): Machine {
    lastWords = new LastWords();
    return dialect.createMachine();
  }

  const long = { bytes: 0, start: "" };
  /** What the live run warned of before anything was read. */
  const warnings: Signal[] =
    (header.approve ?? (header.can_ask ? "ask" : "auto")) === "ask" && dialect.live?.unasked !== undefined
      ? [{ kind: "note", level: "warn", message: dialect.live.unasked }]
      : [];

  function read({ from, text }: TapeLine): Signal[] {
    if (exit) {
      // Another process followed.
      exit = undefined;
      machine = undefined;
    }
    machine ??= begin();
    if (from === "stdin") {
      const frame = parseObject(text);
      const note = asObject(frame?.spoor_host) as HostNote | undefined;
      if (note) return "told" in note ? [...note.told] : (machine.hosted?.(note.hosted) ?? []);
      return (frame && machine.sent?.(frame)) ?? [];
    }
    const piece = from === "exit" ? undefined : readPiece(text);
    if (piece) return readLong(from === "stderr" ? from : "stdout", piece);
    if (from === "stdout") return machine.line(text);
    lastWords.add(text);
    return machine.stderr?.(text) ?? [{ kind: "log", source: "stderr", line: text }];
  }

  /** Lines too long to be read were told of, and are so again. */
  function readLong(source: "stdout" | "stderr", { text, isLast }: TapePiece): Signal[] {
    if (long.bytes === 0) long.start = text;
    long.bytes += Buffer.byteLength(text);
    if (!isLast) return [];
    const signals = [longLine(source, long)];
    long.bytes = 0;
    return signals;
  }

  /** As the live run does: what we did to the agent comes before what the agent says of its end, and else at the end. */
  const accept = (signals: readonly Signal[]): AgentEvent[] => {
    const isFailure = signals.some(({ kind, child }) => kind === "fail" && child === undefined);
    return assembler.accept([...(cause && isFailure ? [cause] : []), ...gate.pass(signals)]);
  };
  const conclude = (): AgentEvent[] => {
    const { code, signal } = exit ?? { code: 0, signal: null };
    const ended = cause && !assembler.isEnded ? assembler.accept([cause]) : [];
    const events = [...ended, ...accept(lastWords.giveTo(machine?.exit(code, signal) ?? []))];
    exit = undefined;
    machine = undefined;
    return events;
  };

  return {
    line(line) {
      time = line.at;
      if (line.from !== "exit") return accept([...warnings.splice(0), ...read(line)]);
      exit = readExit(line.text);
      const retry = toCome.shift();
      if (!retry) return [];
      const cause = retry.cause ? assembler.accept([{ kind: "fail", event: retry.cause }]) : [];
      const events = [...cause, ...conclude()];
      gate.again();
      time = retry.at;
      return [...events, ...accept([{ kind: "fact", fact: retry.fact }])];
    },
    tell(signal, at) {
      time = at;
      if (signal.kind === "fail") cause ??= signal;
      return assembler.isEnded || signal.kind === "fail" ? [] : assembler.accept([signal]);
    },
    finish: () => [...conclude(), ...assembler.finish()],
  };
}

/** Whatever failed before the last retry was tried again; nothing after it was. */
const policyOf = ({ length }: readonly Retry[]): RetryPolicy | undefined =>
  length === 0
    ? undefined
    : { ...defaultRetryPolicy, maxAttempts: length, retryOn: Object.keys(errorTable) as ErrorCode[] };

function readExit(text: string): { code: number | null; signal: string | null } {
  const exit = parseObject(text);
  return {
    code: typeof exit?.code === "number" ? exit.code : null,
    signal: typeof exit?.signal === "string" ? exit.signal : null,
  };
}
