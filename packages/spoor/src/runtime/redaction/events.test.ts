import { type AgentEvent, type AgentEventOf, createEventChecker } from "@spoor/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
// biome-ignore lint/style/noRestrictedImports: the simulated agent is for tests and no part of the published package.
import { simulate } from "../../../../protocol/testing/simulate/simulate.ts";
import { createRedactor } from "./index.ts";

const secret = "sk-ant-api03-q8Zr2Lm5Xc7Vb9Nn1Kp4";
const base = { runId: "01K9ZC0000SP00R00000000000", agent: "claude", timestamp: 1 } as const;

describe("redaction of events", () => {
  it("keeps the contract for any text in any pieces", () => {
    const texts = fc.array(fc.constantFrom(secret, ...pieces(secret, 7), " ", "a ", "s", "://u:", "pass@", "Bearer "), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 150 }), texts, (tape, agentTexts) => {
        const events = simulate(tape, agentTexts);
        const { redact } = createRedactor().events();
        const written = events.flatMap((event) => redact(event));
        expect(violations(written)).toEqual([]);
        expect(JSON.stringify(written)).not.toContain(secret);
        for (const ofKind of [/^debug$/, /^(?!debug$)(?!.*_delta$)/]) {
          const typesIn = (all: readonly AgentEvent[]) =>
            all.map(({ type }) => type).filter((type) => ofKind.test(type));
          expect(typesIn(written)).toEqual(typesIn(events));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("replaces secrets in every field at any depth, and in names of fields", () => {
    const { redact } = createRedactor().events();
    const input = { env: { [secret]: [secret, { a: secret }] }, count: 3, nothing: null };
    const [event] = redact({ type: "tool_call_ready", ...base, toolCallId: "t", toolName: "Bash", input });
    expect(event).toMatchObject({
      input: {
        env: { "[redacted:anthropic-key]": ["[redacted:anthropic-key]", { a: "[redacted:anthropic-key]" }] },
        count: 3,
        nothing: null,
      },
    });
  });

  it("joins a delta that is held back to the next, and writes all before the span ends", () => {
    const { redact } = createRedactor().events();
    const written = [
      { type: "message_start", ...base },
      { type: "text_delta", ...base, delta: "Key: sk-a", accumulated: "Key: sk-a" },
      { type: "text_delta", ...base, delta: secret.slice(4), accumulated: `Key: ${secret}` },
      { type: "text_delta", ...base, delta: ", s", accumulated: `Key: ${secret}, s` },
      { type: "message_stop", ...base, timestamp: 9, text: `Key: ${secret}, s` },
    ].map((event) => redact(event as AgentEvent).map((each) => ({ ...each })));
    const redacted = "Key: [redacted:anthropic-key], ";
    expect(written.map((each) => each.map((event) => ("delta" in event ? event.delta : event.type)))).toEqual([
      ["message_start"],
      ["Key: "],
      [],
      ["[redacted:anthropic-key], "],
      ["s", "message_stop"],
    ]);
    expect(written[3]).toMatchObject([{ accumulated: redacted }]);
    expect(written[4]).toMatchObject([{ accumulated: `${redacted}s`, timestamp: 9 }, { text: `${redacted}s` }]);
  });

  it("returns the same object when there is no secret", () => {
    const { redact } = createRedactor().events();
    const event: AgentEvent = { type: "text_delta", ...base, delta: "Hello", accumulated: "Hello" };
    expect(redact(event)[0]).toBe(event);
    const log: AgentEvent = { type: "log", ...base, source: "stderr", line: "ready" };
    expect(redact(log)[0]).toBe(log);
  });

  it("replaces a private key that is printed line by line", () => {
    const { redact, flush } = createRedactor().events();
    const key = [
      "-----BEGIN EC PRIVATE KEY-----",
      ...Array(4).fill("MHcCAQEEIBvT9s0".repeat(4)),
      "-----END EC PRIVATE KEY-----",
    ];
    const lines = (printed: readonly string[]) =>
      printed
        .flatMap((line) => redact({ type: "log", ...base, source: "stderr", line }))
        .map((event) => (event.type === "log" ? event.line : event.type));
    expect(lines(["ready", ...key, "done"])).toEqual(["ready", "[redacted:private-key]", "done"]);
    expect(lines(key.slice(0, 3))).toEqual([]);
    expect(flush(5)).toMatchObject([{ type: "log", line: "[redacted:private-key]", timestamp: 5 }]);
  });

  it("finds a secret wherever debug frames cut it", () => {
    const whole = `The key is ${secret}, keep it.`;
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 8 }), fc.boolean(), (cuts, mixed) => {
        const places = [0, ...cuts, whole.length].sort((a, b) => a - b);
        const frames = places
          .slice(1)
          .map((place, index) => ({ type: "new", text: whole.slice(places[index], place) }));
        const { redact, flush } = createRedactor().events();
        const message = (frame: unknown) => debug(JSON.stringify(frame));
        const written = frames.flatMap((frame) => [...redact(message(frame)), ...(mixed ? redact(other) : [])]);
        written.push(...flush(5));
        const texts = written.flatMap((event) => (event.type === "debug" ? [JSON.parse(event.message).text] : []));
        expect(texts).toHaveLength(frames.length);
        expect(texts.join("").replace(/sk?(?=\[)/, "")).toBe(createRedactor().redact(whole));
        expect(written.filter(({ type }) => type !== "debug")).toEqual(mixed ? frames.map(() => other) : []);
      }),
      { numRuns: 300 },
    );
  });

  it("holds a frame back only while it may be part of a secret, and not for long", () => {
    const { redact } = createRedactor().events();
    const harmless = debug('{"word":"s"}');
    expect(redact(harmless)[0]).toBe(harmless);
    const begun = debug('{"key":"sk-ant-"}');
    expect(redact(begun)).toEqual([]);
    const written = Array.from({ length: 100 }, () => redact({ ...other, timestamp: 7 })).flat();
    expect(written.filter(({ type }) => type === "debug")).toEqual([{ ...begun, timestamp: 7 }]);
    expect(redact(begun)).toEqual([]);
    expect(redact({ type: "turn_end", ...base, turnIndex: 1 })).toMatchObject([begun, { type: "turn_end" }]);
  });

  it("survives values that are nested very deep", () => {
    let input: unknown = secret;
    for (let depth = 0; depth < 20_000; depth++) input = [input];
    const { redact } = createRedactor().events();
    const [event] = redact({ type: "tool_call_ready", ...base, toolCallId: "t", toolName: "x", input });
    expect(JSON.stringify(event)).toContain("nested too deep");
  });
});

const debug = (message: string): AgentEventOf<"debug"> => ({ type: "debug", ...base, level: "verbose", message });
const other: AgentEvent = { type: "rate_limited", ...base };

function violations(events: readonly AgentEvent[]): string[] {
  const checker = createEventChecker();
  return [...events.flatMap((event) => checker.add(event)), ...checker.end()].flatMap((finding) =>
    finding.kind === "violation" ? [`${finding.rule}: ${finding.message}`] : [],
  );
}

function pieces(text: string, length: number): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, n) => text.slice(n * length, (n + 1) * length));
}

it("redacts a large text that comes again as it did the first time, and does not mistake another one for it", () => {
  const redactor = createRedactor();
  const secret = "ghp_AbCdEf0123456789AbCdEf0123456789AbCd";
  const around = (middle: string) => `${"word ".repeat(20_000)}${middle} ${"word ".repeat(20_000)}`;
  const texts = [around(secret), around(secret), around("x".repeat(secret.length)), around(secret)];
  const redacted = texts.map((text) => redactor.redact(text));
  expect(redacted.map((text) => text.includes(secret))).toEqual([false, false, false, false]);
  expect(redacted[1]).toBe(redacted[0]);
  expect(redacted[2]).toBe(texts[2]);
  expect(redacted[3]).toBe(redacted[0]);
});
