import fc from "fast-check";
import { expect, test } from "vitest";
import { createSseParser, type SseMessage } from "./sse.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (...chunks: (string | Uint8Array)[]): SseMessage[] => {
  const parser = createSseParser();
  return chunks.flatMap((chunk) => parser.push(typeof chunk === "string" ? bytesOf(chunk) : chunk));
};
const message = (data: string, more: Partial<SseMessage> = {}): SseMessage => ({
  event: "message",
  data,
  id: "",
  ...more,
});

test.for([
  ["a frame has a name, data and an id", "event: a\ndata: b\nid: c\n\n", [message("b", { event: "a", id: "c" })]],
  ["lines end in LF", "data: a\n\ndata: b\n\n", [message("a"), message("b")]],
  ["lines end in CR", "data: a\r\rdata: b\r\r", [message("a"), message("b")]],
  ["lines end in CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", [message("a"), message("b")]],
  ["line ends may be mixed", "data: a\r\ndata: b\r\n\ndata: c\n\r\n", [message("a\nb"), message("c")]],
  ["several data lines are one text", "data: a\ndata\ndata: b\n\n", [message("a\n\nb")]],
  ["one space after the colon is dropped, no more", "data:a\ndata:  b\n\n", [message("a\n b")]],
  ["a frame with empty data is delivered", "data:\n\n", [message("")]],
  ["a frame without data is dropped", "event: a\nid: b\n\n", []],
  [
    "the id of a frame without data applies to later frames",
    "id: 7\n\ndata: a\n\ndata: b\n\n",
    ["a", "b"].map((it) => message(it, { id: "7" })),
  ],
  ["the name of a frame without data does not apply to later frames", "event: a\n\ndata: b\n\n", [message("b")]],
  ["an empty id resets the id", "id: 7\ndata: a\n\nid\ndata: b\n\n", [message("a", { id: "7" }), message("b")]],
  [
    "an id with NUL is ignored",
    "id: 7\ndata: a\n\nid: 8\0\ndata: b\n\n",
    ["a", "b"].map((it) => message(it, { id: "7" })),
  ],
  ["comments and unknown fields are ignored", ": hi\nfoo: bar\n data: no\ndata: a\n:\n\n", [message("a")]],
  ["a frame without its blank line is not delivered", "data: a\n\ndata: b\n", [message("a")]],
  ["the first byte order mark is dropped", "\ufeffdata: a\n\n", [message("a")]],
  ["only the first byte order mark is dropped", "\ufeff\ufeffdata: a\n\ndata: b\n\n", [message("b")]],
  ["a later byte order mark is text", "data: \ufeffa\n\n", [message("\ufeffa")]],
] as const)("%s", ([, text, expected]) => {
  expect(parse(text)).toEqual(expected);
});

test("invalid UTF-8 is replaced, and the stream continues", () => {
  expect(parse("data: ", Uint8Array.of(0xff, 0xc3), "\n\ndata: b\n\n")).toEqual([
    message("\ufffd\ufffd"),
    message("b"),
  ]);
});

test("the wait between connections is read if it is a number", () => {
  const parser = createSseParser();
  expect(parser.retryMs).toBeUndefined();
  parser.push(bytesOf("retry: 1200\nretry: soon\nretry: -1\nretry:\n"));
  expect(parser.retryMs).toBe(1200);
});

const token = fc.constantFrom(
  ...'\r|\n|\r\n|\n\n|data|data: |event: |id: |retry: 5|:|: |é|🐾|\ufeff|\0|x|{"a":1}|event: resume'.split("|"),
);
const anyStream = fc.oneof(
  fc.array(token, { maxLength: 60 }).map((tokens) => bytesOf(tokens.join(""))),
  fc.uint8Array({ maxLength: 60 }),
);

test("however the bytes are split, the messages are those of the algorithm in the standard", () => {
  const cuts = fc.array(fc.nat(200), { maxLength: 20 });
  fc.assert(
    fc.property(anyStream, cuts, (bytes, places) => {
      const expected = parseByTheBook(bytes);
      const borders = [...new Set([0, bytes.length, ...places.map((place) => Math.min(place, bytes.length))])];
      borders.sort((a, b) => a - b);
      const chunks = borders.map((border, index) => bytes.subarray(border, borders[index + 1] ?? border));
      expect(parse(...chunks)).toEqual(expected);
      expect(parse(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test("a frame of many megabytes in many chunks is one message", () => {
  const piece = bytesOf("x".repeat(1000));
  const parser = createSseParser();
  parser.push(bytesOf("data: "));
  for (let i = 0; i < 20_000; i++) parser.push(piece);
  const [whole] = parser.push(bytesOf("\n\n"));
  expect(whole?.data.length).toBe(20_000_000);
});

test("a frame beyond the limit is rejected, in one line or in many, and comments do not count", () => {
  const push = (text: string, times = 1) => {
    const parser = createSseParser({ maxFrameLength: 100 });
    for (let i = 0; i < times; i++) parser.push(bytesOf(text));
  };
  expect(() => push("x", 101)).toThrow("longer than 100");
  expect(() => push("data: 0123456789\n", 11)).toThrow("longer than 100");
  expect(() => push(`data: ${"x".repeat(94)}\n\n`, 5)).not.toThrow();
  expect(() => push(": still here\n", 1000)).not.toThrow();
});

/** The algorithm of the standard, applied to the whole stream at once. */
function parseByTheBook(bytes: Uint8Array): SseMessage[] {
  const lines = new TextDecoder()
    .decode(bytes, { stream: true })
    .split(/\r\n|\r|\n/)
    .slice(0, -1);
  const messages: SseMessage[] = [];
  let [data, event, id] = ["", "", ""];
  for (const line of lines) {
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (line === "") {
      if (data !== "") messages.push({ event: event || "message", data: data.slice(0, -1), id });
      [data, event] = ["", ""];
    } else if (name === "event") event = value;
    else if (name === "data") data += `${value}\n`;
    else if (name === "id" && !value.includes("\0")) id = value;
  }
  return messages;
}
