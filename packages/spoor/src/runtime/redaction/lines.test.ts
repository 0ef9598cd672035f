import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TapeLine } from "../../log/log.ts";
import { createRedactor } from "./index.ts";
import { knownKinds } from "./kinds/index.ts";
import { createLineRedactor } from "./lines.ts";

const secret = "sk-ant-api03-q8Zr2Lm5Xc7Vb9Nn1Kp4";
const key = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEpAIBAAKCAQEA7bq1\n".repeat(10)}-----END RSA PRIVATE KEY-----`;

describe("redaction of raw lines", () => {
  it("finds a secret wherever a stream of frames cuts it, and keeps every line valid JSON", () => {
    const whole = `The key is ${secret}, keep it.`;
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 8 }), fc.boolean(), (cuts, mixed) => {
        const places = [0, ...cuts, whole.length].sort((a, b) => a - b);
        const texts = places.slice(1).map((place, index) => whole.slice(places[index], place));
        const frames = texts.flatMap((text) => [
          { type: "delta", delta: { text } },
          ...(mixed ? [{ type: "ping", id: "s" }] : []),
        ]);
        const redacted = redactAll(frames.map((frame) => JSON.stringify(frame))).map((text) => JSON.parse(text));
        expect(redacted.map(({ delta }) => delta?.text ?? "").join("")).toBe(createRedactor().redact(whole));
        expect(redacted.map(({ type, id }) => [type, id])).toEqual(
          frames.map((frame) => [frame.type, "id" in frame ? frame.id : undefined]),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("replaces two secrets of any kinds in the same field of successive frames", () => {
    const random = randomFrom(5);
    for (const first of knownKinds) {
      for (const second of knownKinds) {
        const examples = [first.example(random), second.example(random)];
        const texts = examples.flatMap(({ before, secret, after }) => {
          const text = before + secret + after;
          const cut = Math.floor(random() * text.length);
          return random() < 0.3 ? [text] : [text.slice(0, cut), text.slice(cut)];
        });
        const redacted = redactAll(texts.map((text) => JSON.stringify({ type: "new", part: { text } })));
        const whole = redacted.map((line) => JSON.parse(line).part.text).join("");
        for (const { secret } of examples) {
          const line = secret.split("\n").at(-1) || (secret.split("\n").at(-2) as string);
          expect(whole, `${first.name}, ${second.name}: ${JSON.stringify(texts)}`).not.toContain(line.slice(-12));
        }
      }
    }
  });

  it("replaces a secret wherever its name or prefix is cut, even into single characters", () => {
    const random = randomFrom(7);
    for (const { name, example } of knownKinds) {
      const { before, secret, after } = example(random);
      const text = `${before}${secret}${after}`;
      for (let cut = 0; cut <= before.length + 3; cut++) {
        for (const start of [[text.slice(0, cut)], [...text.slice(0, cut)]]) {
          const frames = [...start, text.slice(cut)].flatMap((piece) => [{ part: { text: piece } }, { ping: "T" }]);
          const redacted = redactAll(frames.map((frame) => JSON.stringify(frame)));
          const whole = redacted.map((line) => JSON.parse(line).part?.text ?? "").join("");
          const line = secret.split("\n").at(-1) || (secret.split("\n").at(-2) as string);
          expect(whole, `${name}: ${JSON.stringify([...start, text.slice(cut)])}`).not.toContain(line.slice(-12));
        }
      }
    }
  });

  it("keeps lines without secrets byte for byte", () => {
    const lines = ['{ "a" : 1.0, "b":"s" }', '{"b":"k-a"}', "not json s", '{"b":"plain"}', "[]", "", '{"s":"sk-"}'];
    expect(redactAll(lines)).toEqual(lines);
  });

  it("replaces a key that covers several lines of plain text", () => {
    const redacted = redactAll(["before", ...key.split("\n"), "after"], "stderr");
    expect(redacted.join("")).toBe("before[redacted:private-key]after");
    expect(redacted).toHaveLength(14);
  });

  it("replaces secrets in names of fields and in escaped text", () => {
    expect(redactAll([JSON.stringify({ [secret]: key })])).toEqual([
      '{"[redacted:anthropic-key]":"[redacted:private-key]"}',
    ]);
    const nested = JSON.stringify({ arguments: JSON.stringify({ env: `KEY=${secret}\n` }) });
    const [redacted] = redactAll([nested]);
    expect(JSON.parse(JSON.parse(redacted as string).arguments).env).toBe("KEY=[redacted:anthropic-key]\n");
  });

  it("stops waiting for the rest of a text", () => {
    const { push } = createLineRedactor(createRedactor());
    const redacted = Array.from({ length: 400 }, (_, index) =>
      push(line(JSON.stringify(index === 0 ? { a: "sk-" } : { b: index }))),
    ).flat();
    expect(redacted.length).toBeGreaterThan(100);
  });

  it("releases lines with only the first letters of a possible secret, and removes the rest if it was one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: secret.length - 1 }),
        fc.array(fc.nat(3), { maxLength: 4 }),
        (first, cuts) => {
          const { push, release, flush } = createLineRedactor(createRedactor());
          const pushText = (text: string) => push(line(JSON.stringify({ a: text })));
          const begun = [...pushText(`The ${secret.slice(0, first)}`), ...push(line("{}"))];
          expect(begun).toEqual([]);
          const released = release();
          expect(released).toHaveLength(first <= 2 ? 2 : 0);
          const rest = cuts.reduce(
            (pieces, cut) => pieces.flatMap((piece) => [piece.slice(0, cut), piece.slice(cut)]),
            [`${secret.slice(first)} is it`],
          );
          const redacted = [...released, ...rest.flatMap(pushText), ...release(), ...flush()];
          const whole = redacted.map(({ text }) => JSON.parse(text).a ?? "").join("");
          expect(whole).toBe(`The ${first <= 2 ? secret.slice(0, first) : ""}[redacted:anthropic-key] is it`);
          expect(redacted).toHaveLength(rest.length + 2);
        },
      ),
    );
  });

  it("releases lines that only look like the start of a secret byte for byte", () => {
    const { push, release, flush } = createLineRedactor(createRedactor(["t8Zr2Lm5Xc7Vb9Nn1Kp4"]));
    const lines = Array.from({ length: 20 }, (_, index) => line(`{"role" : "assistant", "text":"Word ${index}t"}`));
    const redacted = lines.map((each) => [...push(each), ...release()]);
    expect(redacted).toEqual(lines.map((each) => [each]));
    expect(flush()).toEqual([]);
  });
});

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

function redactAll(texts: readonly string[], from: TapeLine["from"] = "stdout"): string[] {
  const { push, flush } = createLineRedactor(createRedactor());
  return [...texts.flatMap((text) => push(line(text, from))), ...flush()].map(({ text }) => text);
}

const line = (text: string, from: TapeLine["from"] = "stdout"): TapeLine => ({ at: 1, from, text });
