import { readFileSync } from "node:fs";
import { createEncoder, createEnvelopeWriter, createUlidSource } from "../packages/protocol/src/index.ts";
import { adapters } from "../packages/spoor/src/agents/registry.ts";
import { createAssembler } from "../packages/spoor/src/assemble/assembler.ts";
import { chooseDialect } from "../packages/spoor/src/assemble/parse.ts";
import { type Case, defineCase } from "./measure.ts";

/**
 * Recordings, and which of their lines to repeat until start-up no longer matters. Where an agent streams pieces, the
 * piece lines repeat. Otherwise the whole recording repeats as further runs whose ids, found by their prefix, are made unique.
 */
const recordings: Readonly<Record<string, { file: string; repeat: RegExp | { ids: RegExp } }>> = {
  claude: { file: "claude/2.1.325/a-text.partial.jsonl", repeat: /"content_block_delta"/ },
  codex: { file: "codex/0.166.0/a-text.app-server.jsonl", repeat: /agentMessage\/delta/ },
  gemini: { file: "gemini/0.61.0/plain_text.jsonl", repeat: /"role":"assistant"/ },
  pi: { file: "pi/0.87.1/a_text.jsonl", repeat: /"text_delta"/ },
  acp: { file: "acp/claude-agent-acp-0.99.0/turn.acp.jsonl", repeat: /agent_message_chunk/ },
  copilot: { file: "copilot/1.0.102/plain_text.sdk.jsonl", repeat: /assistant.message_delta/ },
  opencode: { file: "opencode/1.18.33/serve.a_text.sse.jsonl", repeat: /message.part.delta/ },
  openclaw: { file: "openclaw/2026.9.6/gateway.c_shell_ok.rpc.jsonl", repeat: { ids: /"(?:idem-|call_)/g } },
  omp: { file: "omp/18.2.3/a_text.jsonl", repeat: /"text_delta"/ },
  zot: { file: "zot/documented/shell_ok.jsonl", repeat: /"text_delta"/ },
  cursor: { file: "cursor/documented/tools_partial.jsonl", repeat: /"type":"assistant".*"timestamp_ms"/ },
  hermes: { file: "hermes/documented/tools.jsonl", repeat: /"type":"text"/ },
  amp: { file: "amp/documented/shell_ok.jsonl", repeat: { ids: /"(?:msg|toolu)_/g } },
  qwen: { file: "qwen/0.24.4/plain_text.jsonl", repeat: /"content_block_delta"/ },
};
/** The first of these agents also have a row that checks linear growth. */
const GROWN = 4;

/** Measures the way from an agent's lines to stored bytes against a bare `JSON.parse` of the same lines. */
export function normaliseCases(pieces: number): { file: string; floor: Case<unknown>; work: Case<unknown> }[] {
  return Object.entries(recordings).map(([agent, { file, repeat }]) => {
    const lines = lengthened(read(file), repeat, pieces);
    return {
      file,
      floor: defineCase(`JSON.parse of ${agent}'s lines`, () => lines, parseAll),
      work: defineCase(
        `normalise ${agent} to stored bytes`,
        () => lines,
        (input) => normalise(agent, input),
      ),
    };
  });
}

/** Measures the same on a recording and on one ten times as long; the short one is read ten times. */
export function normaliseGrowth(
  pieces: number,
): { name: string; file: string; short: Case<unknown>; long: Case<unknown> }[] {
  return Object.entries(recordings)
    .slice(0, GROWN)
    .map(([agent, { file, repeat }]) => {
      const name = `normalise ${agent}`;
      const lines = read(file);
      const prepare = (count: number) => () => lengthened(lines, repeat, count);
      return {
        name,
        file,
        short: defineCase(`${name} ×1, ten times`, prepare(pieces / 10), (input) => {
          for (let n = 0; n < 10; n++) normalise(agent, input);
        }),
        long: defineCase(`${name} ×10`, prepare(pieces), (input) => normalise(agent, input)),
      };
    });
}

/** A lengthened recording of an agent. */
export function longRecording(agent: keyof typeof recordings, pieces: number): { file: string; lines: string[] } {
  const { file, repeat } = recordings[agent] as NonNullable<(typeof recordings)[string]>;
  return { file, lines: lengthened(read(file), repeat, pieces) };
}

/** The lines that the agent wrote; in a recording of both directions, lines sent to it are left out. */
function read(file: string): string[] {
  const text = readFileSync(new URL(`../packages/spoor/fixtures/${file}`, import.meta.url), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      if (!line.startsWith('{"dir":')) return [line];
      const { dir, msg } = JSON.parse(line);
      return dir === "out" ? [JSON.stringify(msg)] : [];
    });
}

/**
 * Repeats the streamed pieces of a recording, or all of it, until there are about this many pieces. The number must be
 * the same for every agent: a short recording would mostly measure the compiler.
 */
function lengthened(lines: string[], repeat: RegExp | { ids: RegExp }, pieces: number): string[] {
  if ("ids" in repeat) {
    const again = (_: unknown, run: number) => lines.map((line) => line.replaceAll(repeat.ids, `$&${run}_`));
    return Array.from({ length: Math.ceil(pieces / lines.length) }, again).flat();
  }
  const length = Math.ceil(pieces / lines.filter((line) => repeat.test(line)).length);
  return lines.flatMap((line) => (repeat.test(line) ? Array.from({ length }, () => line) : [line]));
}

function parseAll(lines: readonly string[]): void {
  for (const line of lines) JSON.parse(line);
}

function normalise(agent: string, lines: readonly string[]): number {
  const adapter = adapters.find(({ name }) => name === agent);
  if (!adapter) throw new Error(`There is no adapter for ${agent}.`);
  const dialect = chooseDialect(adapter, lines.slice(0, 40));
  const machine = dialect.createMachine();
  const assembler = createAssembler({ agent, stream: "auto", streams: dialect.streams, canAsk: dialect.canAsk });
  const encoder = createEncoder();
  const newId = createUlidSource({ prefix: "evt_" });
  const write = createEnvelopeWriter({ run_id: "run_01K9ZC0000SP00R00000000000" });
  let sequence = 0;
  let bytes = 0;
  for (const line of lines) {
    for (const event of assembler.accept(machine.line(line))) {
      for (const draft of encoder.encodeText(event)) {
        bytes += utf8.encodeInto(write(draft, newId(), sequence++), page).written;
      }
    }
  }
  return bytes;
}

const utf8 = new TextEncoder();
const page = new Uint8Array(4 * 1024 * 1024);
