import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { errorTable } from "../../failures/error-table.ts";
import { failureRules } from "./failure-rules.ts";
import { endOf, ModelError, modelFailureOf } from "./failures.ts";
import { guard } from "./guard.ts";
import { knownProviders } from "./table.ts";

/** An error of the AI SDK, as it looks for this answer of a server. */
function answered(statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}): Error {
  const url = "https://user:hunter2@api.example.com/v1/messages";
  const fields = { statusCode, url, responseHeaders, responseBody: JSON.stringify(body), data: body };
  return Object.assign(new Error("Bad Request"), { name: "AI_APICallError", ...fields });
}

describe("an answer that refuses the request", () => {
  test.each([
    [
      "Anthropic",
      400,
      { error: { type: "invalid_request_error", message: "prompt is too long: 250000 tokens > 200000 maximum" } },
      "context",
    ],
    [
      "Anthropic",
      400,
      {
        error: {
          type: "invalid_request_error",
          message: "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
        },
      },
      "context",
    ],
    [
      "OpenAI",
      400,
      { error: { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." } },
      "context",
    ],
    [
      "Google",
      400,
      {
        error: {
          code: 400,
          status: "INVALID_ARGUMENT",
          message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        },
      },
      "context",
    ],
    ["Groq", 400, { error: { message: "Please reduce the length of the messages or completion." } }, "context"],
    [
      "LM Studio",
      400,
      { error: "The number of tokens to keep from the initial prompt is larger than the context length (4096)." },
      "context",
    ],
    [
      "llama.cpp",
      400,
      { error: { message: "the request exceeds the available context size. try increasing the context size" } },
      "context",
    ],
    [
      "Anthropic",
      400,
      {
        error: {
          type: "invalid_request_error",
          message: "Your credit balance is too low to access the Anthropic API.",
        },
      },
      "rate_limit",
    ],
    ["DeepSeek", 402, { error: { message: "Insufficient Balance" } }, "rate_limit"],
    [
      "Google",
      400,
      { error: { code: 400, status: "INVALID_ARGUMENT", message: "API key not valid. Please pass a valid API key." } },
      "auth",
    ],
    ["Anthropic", 403, { error: { type: "permission_error", message: "Not for this workspace." } }, "auth"],
    ["Anthropic", 404, { error: { type: "not_found_error", message: "model: claude-none" } }, "invalid"],
    ["Ollama", 404, { error: { message: 'model "none" not found, try pulling it first' } }, "invalid"],
    ["OpenAI", 400, { error: { message: "Unsupported parameter: 'temperature'." } }, "invalid"],
    ["a proxy", 502, "<html>Bad gateway</html>", "overloaded"],
    ["Anthropic", 529, { error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded"],
    ["OpenAI", 408, { error: { message: "Request timeout" } }, "cut_off"],
    ["anything", 418, { error: { message: "I am a teapot" } }, "other"],
  ])("of %s (%i, %j) is of the kind %s", (_, status, body, kind) => {
    const failure = modelFailureOf(answered(status, body));
    expect(failure).toMatchObject({ kind, status });
    expect(failure.message).toContain(`(HTTP ${status})`);
    expect(failure.message).not.toContain("hunter2");
    expect(failure.message.length).toBeLessThan(500);
  });

  test("tells how many tokens it had and how many fit", () => {
    const failure = modelFailureOf(
      answered(400, { error: { message: "prompt is too long: 250000 tokens > 200000 maximum" } }),
    );
    expect(endOf(failure)).toEqual({ type: "context_exceeded", usedTokens: 250_000, maxTokens: 200_000 });
  });

  test("is not tried again if the account has no quota left, whatever the status says", () => {
    const body = { error: { code: "insufficient_quota", message: "You exceeded your current quota." } };
    expect(modelFailureOf(answered(429, body, { "retry-after": "5" }))).toMatchObject({ retriable: false });
    expect(modelFailureOf(answered(429, body, { "retry-after": "5" }))).not.toHaveProperty("retryAfterMs");
  });

  test.each([
    [{ "retry-after": "3" }, {}, 3000],
    [{ "retry-after-ms": "250" }, {}, 250],
    [{ "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, {}, 0],
    [{ "retry-after": "soon" }, {}, undefined],
    [{}, { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }] }, 34_500],
  ])("says how long to wait: %j %j", (headers, more, wait) => {
    const failure = modelFailureOf(answered(429, { error: { message: "slow down", ...more } }, headers));
    expect(failure.retryAfterMs).toBe(wait);
  });
});

describe("a broken connection", () => {
  test.each([
    ["ECONNREFUSED", "unreachable"],
    ["ENOTFOUND", "unreachable"],
    ["EAI_AGAIN", "unreachable"],
    ["UND_ERR_CONNECT_TIMEOUT", "unreachable"],
    ["ECONNRESET", "cut_off"],
    ["UND_ERR_SOCKET", "cut_off"],
    ["UND_ERR_BODY_TIMEOUT", "cut_off"],
  ])("%s is %s", (code, kind) => {
    const cause = Object.assign(new Error("low-level words"), { code });
    const error = Object.assign(new Error(`Cannot connect to API: ${cause.message}`), {
      cause,
      url: "http://host:1/v1",
    });
    expect(modelFailureOf(error)).toMatchObject({ kind, code: "UPSTREAM_ERROR", retriable: true });
  });
});

test.each([undefined, null, "text", 3, {}, [], new Error("")])("%j is explained too", (error) => {
  expect(modelFailureOf(error)).toMatchObject({ kind: "other", code: "INTERNAL" });
  expect(modelFailureOf(error).message).toMatch(/^The provider failed.*\.$/);
});

test("every rule has a code with an exit code", () => {
  for (const { code, advice } of failureRules) {
    expect(errorTable[code].exitCode).toBeGreaterThan(0);
    expect(advice).toMatch(/\.$/);
  }
});

describe("a guarded stream", () => {
  const provider = knownProviders[0] as (typeof knownProviders)[number];
  const environment = { ANTHROPIC_API_KEY: "dummy-key-0123456789" };

  async function read(parts: Iterable<LanguageModelV4StreamPart> | AsyncIterable<LanguageModelV4StreamPart>) {
    const stream = ReadableStream.from(parts);
    const model = { doStream: async () => ({ stream }) } as unknown as LanguageModelV4;
    const out: LanguageModelV4StreamPart[] = [];
    const guarded = await guard(model, provider, environment).doStream({ prompt: [] });
    for await (const part of guarded.stream) out.push(part);
    return out;
  }

  const finish = (unified: "stop" | "other", raw: string | undefined): LanguageModelV4StreamPart => ({
    type: "finish",
    finishReason: { unified, raw },
    usage: {
      inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: undefined, reasoning: undefined },
    },
  });
  const delta: LanguageModelV4StreamPart = { type: "text-delta", id: "0", delta: "words" };

  test.each([
    ["no end", [delta]],
    ["an end that the package made up", [delta, finish("other", undefined)]],
  ])("with %s is an error", async (_, parts) => {
    const out = await read(parts);
    expect(out.map(({ type }) => type)).toEqual(["text-delta", "error"]);
    const last = out.at(-1);
    expect(modelFailureOf(last?.type === "error" ? last.error : "")).toMatchObject({
      kind: "cut_off",
      retriable: true,
    });
  });

  test("ends after its first error, and repeats no key", async () => {
    const error = {
      message: "Your key dummy-key-0123456789 is bad, and so is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789",
    };
    const out = await read([delta, { type: "error", error }, delta, finish("stop", "end_turn")]);
    expect(out.map(({ type }) => type)).toEqual(["text-delta", "error"]);
    const last = out.at(-1);
    expect(last?.type === "error" && last.error).toBeInstanceOf(ModelError);
    const told = JSON.stringify(modelFailureOf(last?.type === "error" ? last.error : ""));
    expect(told).not.toMatch(/dummy-key-0123456789|sk-ant-api03/);
  });

  test("garbage instead of a stream is tried again, and is told as an answer that cannot be read", () => {
    const error = new Error("Expected a normalized Anthropic stream error");
    const failure = modelFailureOf(error, { title: "Anthropic" });
    expect(failure).toMatchObject({ kind: "invalid", retriable: true });
    expect(failure.message).toBe(
      "Anthropic sent an answer that cannot be read. Try again; if it happens again, check that the address is the provider's API.",
    );
  });

  test("that throws ends with an error instead", async () => {
    async function* breaking() {
      yield delta;
      throw new TypeError("terminated");
    }
    expect((await read(breaking())).map(({ type }) => type)).toEqual(["text-delta", "error"]);
  });
});
