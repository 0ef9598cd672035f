import type { Envelope } from "@spoor/protocol";

/** How much of a run comes into a file. Sizes are in characters. */
export interface Limits {
  /** Of one text. */
  readonly text: number;
  /** Of all texts. What follows is cut to its first words. */
  readonly allTexts: number;
  /** Events, without the pieces of texts and outputs. Of those that follow only the totals are taken. */
  readonly events: number;
  /** The base64 of one picture. */
  readonly picture: number;
}

const usualLimits: Limits = { text: 65_536, allTexts: 12_582_912, events: 40_000, picture: 2_000_000 };

/** Cuts the events of a run while they are read, so that a file of any run is written in bounded memory. */
export interface Bounds {
  /** The event as the file shows it. Undefined: it is left out. */
  take(envelope: Envelope): Envelope | undefined;
  /** What was left out so far, one sentence each. */
  omissions(): string[];
}

export function createBounds(limits: Limits = usualLimits): Bounds {
  let read = 0;
  let events = 0;
  let cutTexts = 0;
  let cutFrom: number | undefined;
  let leftOut = 0;
  let pictures = 0;

  const cut = (value: string, most: number): string => {
    if (value.length <= most) return value;
    cutTexts += 1;
    // A half of a character at the end would be shown as a code.
    const kept = value.slice(0, most).replace(/[\ud800-\udbff]$/, "");
    return `${kept}\n… ${(value.length - kept.length).toLocaleString("en")} more characters are left out of this file`;
  };

  const shorten = (value: unknown, most: number, depth = 0): unknown => {
    if (typeof value === "string") {
      read += Math.min(value.length, most);
      return cut(value, most);
    }
    if (typeof value !== "object" || value === null) return value;
    if (depth > 100) return "[nested too deep]";
    if (Array.isArray(value)) return value.map((item) => shorten(item, most, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shorten(item, most, depth + 1)]));
  };

  return {
    take(envelope) {
      const { type, sequence } = envelope;
      const isPiece = pieces.has(type);
      if (!isPiece) events += 1;
      const isFull = read > limits.allTexts || events > limits.events;
      if (isFull) cutFrom ??= sequence;
      if (isFull && (isPiece || (events > limits.events && !totals.test(type)))) {
        leftOut += 1;
        return undefined;
      }
      let { data } = envelope;
      if (typeof data.base64 === "string" && data.base64.length > limits.picture) {
        pictures += 1;
        const { base64: _, ...rest } = data;
        data = rest;
      }
      const { base64, ...texts } = data;
      const short = shorten(texts, isFull ? FIRST_WORDS : limits.text) as Envelope["data"];
      if (typeof base64 === "string") read += base64.length;
      return { ...envelope, data: base64 === undefined ? short : { ...short, base64 } };
    },
    omissions: () => [
      ...(cutFrom === undefined
        ? []
        : [
            `The run is long: from event ${cutFrom.toLocaleString("en")} on, texts are cut to their first words` +
              (leftOut > 0
                ? ` and ${leftOut === 1 ? "one event is" : `${leftOut.toLocaleString("en")} events are`} left out.`
                : "."),
          ]),
      ...(cutFrom === undefined && cutTexts > 0
        ? [`${cutTexts === 1 ? "One long text is" : `${cutTexts.toLocaleString("en")} long texts are`} cut.`]
        : []),
      ...(pictures > 0
        ? [`${pictures === 1 ? "One large picture is" : `${pictures} large pictures are`} left out.`]
        : []),
    ],
  };
}

const FIRST_WORDS = 200;

/** Whether an event is a part of a text that is not cut by itself. */
export const isShortPiece = ({ type, data }: Envelope, limits: Limits = usualLimits): boolean =>
  pieces.has(type) && Object.values(data).every((value) => typeof value !== "string" || value.length <= limits.text);

/** Parts of a text or an output. The end of a text repeats all of it. */
const pieces: ReadonlySet<string> = new Set([
  "assistant.text_delta",
  "assistant.thinking_delta",
  "assistant.tool_call_input_delta",
  "tool.shell.output_chunk",
]);

/** What the head of the file needs: how the run stands and what it cost. */
const totals = /^(?:run|cost|session)\./;
