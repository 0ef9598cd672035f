import type { AgentEvent } from "@spoor/protocol";
import { parseObject } from "../../agents/json-machine.ts";
import type { Adapter, Machine } from "../../agents/machine.ts";
import type { Signal } from "../../agents/signal.ts";
import type { TapeLine } from "../../log/log.ts";
import { createAssembler } from "../../mux/assembler/index.ts";
import { chooseDialect } from "../../mux/parse.ts";
import { loadPrices } from "../../mux/prices.ts";
import type { TapeHeader } from "./header.ts";

export interface Replay {
  line(line: TapeLine): AgentEvent[];
  /** What we did to the run, which no line of it tells. */
  tell(signal: Signal, at: number): AgentEvent[];
  finish(): AgentEvent[];
}

/** Reads the lines of a tape as the live run did, with today's adapter. */
export async function createReplay(adapter: Adapter, header: TapeHeader, runId: string): Promise<Replay> {
  const dialect = chooseDialect(adapter, [], header.dialect);
  const prices = dialect.tokensOnly ? await loadPrices() : undefined;
  let time = 1;
  let machine: Machine | undefined = dialect.createMachine();
  /** How the process ended, until it is known whether another followed. */
  let exit: { code: number | null; signal: string | null } | undefined;
  const assembler = createAssembler({
    agent: header.agent,
    runId,
    cwd: header.cwd,
    stream: header.stream,
    streams: dialect.streams,
    canAsk: dialect.canAsk && header.can_ask,
    now: () => time,
    ...(header.no_session && { noSession: true }),
    ...(header.resumed && { resumed: true }),
    ...(header.forked_from !== undefined && { forkedFrom: header.forked_from }),
    ...(prices && { estimate: () => prices }),
  });

  function read({ from, text }: TapeLine): Signal[] {
    if (from === "exit") {
      exit = readExit(text);
      return [];
    }
    if (exit) {
      // The run was tried again, by another process.
      exit = undefined;
      machine = dialect.createMachine();
    }
    if (from === "stdin") {
      const frame = parseObject(text);
      return (frame && machine?.sent?.(frame)) ?? [];
    }
    if (from === "stdout") return machine?.line(text) ?? [];
    return machine?.stderr?.(text) ?? [{ kind: "log", source: "stderr", line: text }];
  }

  return {
    line(line) {
      time = line.at;
      return assembler.accept(read(line));
    },
    tell(signal, at) {
      time = at;
      return assembler.isEnded ? [] : assembler.accept([signal]);
    },
    finish() {
      const { code, signal } = exit ?? { code: 0, signal: null };
      return [...assembler.accept(machine?.exit(code, signal) ?? []), ...assembler.finish()];
    },
  };
}

function readExit(text: string): { code: number | null; signal: string | null } {
  const exit = parseObject(text);
  return {
    code: typeof exit?.code === "number" ? exit.code : null,
    signal: typeof exit?.signal === "string" ? exit.signal : null,
  };
}
