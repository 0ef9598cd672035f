import {
  type AgentEvent,
  createEncoder,
  createEnvelopeChecker,
  createEnvelopeWriter,
  createEventChecker,
  createRunFold,
  createUlidSource,
  type Envelope,
} from "../packages/protocol/src/index.ts";
import { type Case, defineCase } from "./measure.ts";
import { longAnswer, longAnswerStored, mixedRun, printed, stored } from "./streams.ts";

/** Measures the functions of the protocol package on one stream against the `JSON.parse` of that stream. */
export function protocolCases(turns: number): { floor: Case<unknown>; work: Case<unknown>[] }[] {
  const events = mixedRun(turns);
  const lines = printed(events);
  const storedLines = stored(events);
  const envelopes = (): Envelope[] => storedLines.map((line) => JSON.parse(line));
  const parseAll = (texts: string[]) => {
    for (const text of texts) JSON.parse(text);
  };
  return [
    {
      floor: defineCase("JSON.parse of AgentEvents", () => lines, parseAll),
      work: [
        defineCase("check AgentEvents", () => mixedRun(turns), checkEvents),
        defineCase("map AgentEvents to stored bytes", () => mixedRun(turns), toBytes),
      ],
    },
    {
      floor: defineCase("JSON.parse of envelopes", () => storedLines, parseAll),
      work: [
        defineCase("check envelopes", envelopes, checkEnvelopes),
        defineCase("fold envelopes to a view", envelopes, fold),
      ],
    },
  ];
}

/**
 * Measures the same work on one answer with `accumulated` and on one ten times as long. The short answer is processed
 * ten times, so that the garbage collector runs equally often in both. Ten times their ratio is the cost of ten times the length.
 */
export function growthCases(deltas: number): { name: string; short: Case<unknown>; long: Case<unknown> }[] {
  const pair = (name: string, run: (deltas: number) => unknown) => ({
    name,
    short: defineCase(
      `${name} ×1, ten times`,
      () => deltas,
      (count) => Array.from({ length: 10 }, () => run(count)),
    ),
    long: defineCase(`${name} ×10`, () => deltas * 10, run),
  });
  return [
    pair("check AgentEvents", (count) => checkEvents(longAnswer(count))),
    pair("map AgentEvents to stored bytes", (count) => toBytes(longAnswer(count))),
    pair("fold envelopes to a view", (count) => fold(longAnswerStored(count))),
  ];
}

function checkEvents(events: Iterable<AgentEvent>): number {
  const checker = createEventChecker();
  let findings = 0;
  for (const event of events) findings += checker.add(event).length;
  return sound(findings + checker.end().length);
}

function checkEnvelopes(envelopes: Envelope[]): number {
  const checker = createEnvelopeChecker();
  let findings = 0;
  for (const envelope of envelopes) findings += checker.add(envelope).length;
  return sound(findings);
}

function toBytes(events: Iterable<AgentEvent>): number {
  const encoder = createEncoder();
  const newId = createUlidSource({ prefix: "evt_" });
  const write = createEnvelopeWriter({ run_id: "run_01K9ZC0000SP00R00000000000" });
  let sequence = 0;
  let bytes = 0;
  for (const event of events) {
    for (const draft of encoder.encodeText(event)) {
      // Encode line by line: one character beyond Latin-1 makes a joined string twice as wide and twice as slow to encode.
      const { written } = utf8.encodeInto(write(draft, newId(), sequence++), page.subarray(bytes));
      bytes += written;
      if (page.length - bytes < 64 * 1024) bytes = 0;
    }
  }
  return bytes;
}

const utf8 = new TextEncoder();
const page = new Uint8Array(1024 * 1024);

function fold(envelopes: Iterable<Envelope>): unknown {
  const run = createRunFold();
  for (const envelope of envelopes) run.fold(envelope);
  return run.snapshot();
}

/** Fails if the checker reports anything, because then the row would measure the reporting. */
function sound(findings: number): number {
  if (findings > 0) throw new Error(`The bench stream breaks the contract ${findings} times.`);
  return findings;
}
