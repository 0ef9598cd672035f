import type { AgentEvent } from "@spoor/protocol";
import type { Signal } from "../../src/agents/signal.ts";
import { type AssemblerOptions, createAssembler } from "../../src/assemble/assembler.ts";

/** Returns the events of these signals. Each signal counts as a separate line, and the clock ticks with every event. */
export function assemble(signals: readonly Signal[], options: Partial<AssemblerOptions> = {}): AgentEvent[] {
  let time = 1_793_577_600_000;
  const assembler = createAssembler({
    agent: "claude",
    stream: "auto",
    streams: { text: true, toolCalls: true, thinking: true },
    canAsk: true,
    cwd: "/w",
    now: () => time++,
    random: () => 0.5,
    ...options,
  });
  return [...signals.flatMap((signal) => assembler.accept([signal])), ...assembler.finish()];
}

/** The event types between the start and the end of the session, without steps. */
export const typesOf = (signals: readonly Signal[], options?: Partial<AssemblerOptions>): string[] =>
  assemble(signals, options)
    .map(({ type }) => type as string)
    .filter((type) => !/^(session_start|session_end|step_)/.test(type));
