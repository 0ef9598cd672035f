import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shapesOfSecrets } from "./given-secrets.ts";
import { createRedactor } from "./index.ts";
import { type Example, type Kind, knownKinds } from "./kinds/index.ts";
import { createScanner } from "./scanner.ts";

const { redact, stream } = createRedactor();

const random = fc.integer({ min: 1, max: 0x7fffffff }).map(randomFrom);
const example = fc.tuple(fc.constantFrom(...knownKinds), random).map(([kind, float]) => textOf(kind.example(float)));
/** Text with secrets in it, pieces of secrets, and what looks like the start of one. */
const words = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.string({ maxLength: 12, unit: "grapheme" }) },
    { weight: 3, arbitrary: example },
    { weight: 2, arbitrary: fc.tuple(example, fc.nat(60)).map(([text, length]) => text.slice(0, length)) },
    { weight: 2, arbitrary: fc.constantFrom(" ", "\n", "\\n", '"', "s", "sk-", "eyJ", "://", ":", "-----", "Bearer ") },
    { weight: 2, arbitrary: fc.constantFrom("\u001b[01;31m", "\u001b[K", "%3D", "%", "\\u003c", "\\", "[", "[3", "m") },
  ),
  { maxLength: 8 },
);
/** Coloured output, JSON and URLs: their last character is not part of a word. */
const escapes = ["\u001b[32m", "\u001b[01;31m\u001b[K", "\\u001b[0;38;5;208m", "\\u003c", "?token%3D", "a%20"];
const text = words.map((parts) => parts.join(""));

describe("redaction of whole texts", () => {
  it.each(knownKinds.map((kind, index) => ({ name: kind.name, index, kind })))(
    "replaces $name ($index) anywhere, and keeps what only looks similar",
    ({ kind }) => {
      fc.assert(
        fc.property(
          random,
          fc.constantFrom("", " ", '"', "(", "=", "\n", "\\n", "héllo ", ...escapes),
          (float, before) => {
            const example = kind.example(float);
            for (const after of ["", " ", '"', "\n"]) {
              const redacted = redact(`${before}${textOf(example)}${after}`);
              expect(redacted).toContain("[redacted:");
              expect(longestCommon(example.secret, redacted)).toBeLessThan(12);
            }
          },
        ),
        { numRuns: 20 },
      );
      expect(redact(kind.not)).toBe(kind.not);
    },
  );

  it("replaces two secrets of any kinds that follow each other without a gap", () => {
    const float = randomFrom(11);
    for (const first of knownKinds) {
      for (const second of knownKinds) {
        const examples = [first.example(float), second.example(float)];
        // A shape that must not be inside a word does not match when it directly follows one.
        if (!second.inWord && examples[0]?.after !== "") continue;
        const redacted = redact(examples.map(textOf).join(""));
        for (const { secret } of examples) {
          expect(longestCommon(secret, redacted), `${first.name}, ${second.name}: ${redacted}`).toBeLessThan(12);
        }
      }
    }
  });

  it("keeps words, code, hashes, ids and placeholders", () => {
    const innocent = [
      "sk-loading-spinner-animation-container-wrapper",
      "task-ant-design-upgrade-to-version-five-and-six",
      "The risk-averse ghp_ prefix, eyJ and AKIA alone mean nothing.",
      "d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709",
      "01K9ZC0000SP00R00000000000 run_01K9ZC0000SP00R00000000000 550e8400-e29b-41d4-a716-446655440000",
      "https://example.com:8080/@scope/name http://localhost:3000/a@b git@github.com:a/b.git",
      `postgres://user:$${"{PASSWORD}"}@host/db redis://localhost:6379`,
      `Authorization: Bearer $${"{token}"} and Bearer <token> and Bearer your-token-goes-in-this-place`,
      "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
      "grep -r -----BEGIN RSA PRIVATE KEY----- .",
      "npm_config_registry npm_lifecycle_event hf_hub_download gsk_ xai- r8_",
    ];
    for (const line of innocent) expect(redact(line)).toBe(line);
  });

  it("replaces a key that has only capital letters", () => {
    expect(redact("AKIAQWERTYUIOPASDFGH")).toBe("[redacted:aws-key-id]");
  });

  it("replaces only the password in a connection string", () => {
    expect(redact("postgres://app:hunter2@db/main")).toBe("postgres://app:[redacted:password]@db/main");
    expect(redact("mysql://app:hun$er*2@db/main")).toBe("mysql://app:[redacted:password]@db/main");
    expect(redact("redis://:hunter2@db")).toBe("redis://:[redacted:password]@db");
  });

  it("replaces a private key that was cut off, and one inside JSON", () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEpAIBAAKCAQEA7bq1".repeat(20)}`;
    expect(redact(`cat key\n${key}`)).toBe("cat key\n[redacted:private-key]");
    const whole = `${key}\n-----END RSA PRIVATE KEY-----\n`;
    expect(redact(JSON.stringify({ key: whole }))).toBe('{"key":"[redacted:private-key]\\n"}');
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(example, (secret) => {
        const once = redact(`a ${secret} b`);
        expect(redact(once)).toBe(once);
      }),
    );
  });
});

it("is not much slower for adversarial texts", () => {
  // No time is measured: a search with quadratic cost would not finish on these texts.
  for (const unit of ["://", "://a:", "PASSWORD=", "eyJ", "TOKEN=a1", "sk-ant-", "-----BEGIN RSA PRIVATE KEY-----\n"]) {
    expect(redact(unit.repeat(200_000 / unit.length)).length).toBeGreaterThan(0);
  }
});

describe("redaction of streams", () => {
  it("returns the same for any pieces as for the whole text", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(400), { maxLength: 12 }), (value, cuts) => {
        expect(piecewise(value, cuts).join("")).toBe(redact(value));
      }),
      { numRuns: 600 },
    );
  });

  it("finds every known secret at every place it can be cut", () => {
    for (const shape of knownKinds) {
      const value = `before ${textOf(shape.example(randomFrom(7)))} after`;
      for (let cut = 0; cut <= Math.min(value.length, 200); cut++) {
        expect(piecewise(value, [cut]).join(""), shape.name).toBe(redact(value));
      }
      expect(
        piecewise(
          value,
          Array.from(value, (_, index) => index),
        ).join(""),
        shape.name,
      ).toBe(redact(value));
    }
  });

  const anthropic = textOf((knownKinds[0] as Kind).example(randomFrom(3)));
  it.each(["\\n", ...escapes])("recognises an escape that was cut in two: %j", (mark) => {
    const value = `some text before it ${mark}${anthropic} `;
    for (let cut = 1; cut < value.length; cut++) {
      const redacted = piecewise(value, [cut, cut + 2]).join("");
      expect(redacted, String(cut)).toBe(`some text before it ${mark}[redacted:anthropic-key] `);
    }
  });

  it("holds back only what may be part of a secret", () => {
    const { push } = stream();
    expect(push("this is it, ")).toBe("this is it, ");
    expect(push("no s")).toBe("no ");
    expect(push("uch thing")).toBe("such thing");
    expect(push(" at http")).toBe(" at http");
    expect(push("s:/")).toBe("s:/");
    expect(push("/me:hunt")).toBe("");
    expect(push("er2@example.com/ ")).toBe("/me:[redacted:password]@example.com/ ");
  });
});

describe("secrets given by the caller", () => {
  const secret = 'p/ss "wörd"\n+42?';
  const withGivenSecrets = createRedactor([{ name: "DB_PASSWORD", value: secret }, "another-secret"]);

  it("are replaced verbatim and as encoded in URLs, JSON and base64", () => {
    const forms = [
      secret,
      JSON.stringify({ nested: JSON.stringify({ secret }) }),
      `https://x/?p=${encodeURIComponent(secret)}`,
      Buffer.from(`user:${secret}`).toString("base64"),
      Buffer.from(`ab${secret}cd`).toString("base64"),
      Buffer.from(`a${secret}`).toString("base64url"),
    ];
    for (const form of forms) expect(withGivenSecrets.redact(form)).toContain("[redacted:DB_PASSWORD]");
    expect(withGivenSecrets.redact("xanother-secretx")).toBe("x[redacted:secret]x");
  });

  it("are found in any pieces", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(secret, "another-secret", "another-", "p/ss", " ", "sk-"), { maxLength: 6 }),
        fc.array(fc.nat(80), { maxLength: 8 }),
        (parts, cuts) => {
          const value = parts.join("");
          expect(piecewise(value, cuts, withGivenSecrets.stream()).join("")).toBe(withGivenSecrets.redact(value));
          expect(withGivenSecrets.redact(value)).not.toContain(secret);
        },
      ),
    );
  });

  it("of a few characters are ignored, because they would match ordinary words", () => {
    expect(shapesOfSecrets(["", "true", "12345"])).toEqual([]);
    expect(createScanner([]).redact("anything")).toBe("anything");
  });
});

function piecewise(value: string, cuts: readonly number[], { push, flush } = stream()): string[] {
  const places = [0, ...cuts.map((cut) => cut % (value.length + 1)), value.length].sort((a, b) => a - b);
  return [...places.map((place, index) => push(value.slice(place, places[index + 1] ?? value.length))), flush()];
}

const textOf = ({ before, secret, after }: Example): string => before + secret + after;

/** The length of the longest piece of a secret that is in a text, up to twelve. */
function longestCommon(secret: string, text: string): number {
  let longest = 0;
  for (let at = 0; at < secret.length && longest < 12; at++) {
    while (longest < 12 && at + longest < secret.length && text.includes(secret.slice(at, at + longest + 1)))
      longest += 1;
  }
  return longest;
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}
