import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { createRedactor } from "../../runtime/redaction/index.ts";
import type { FailureSource } from "./failure-rules.ts";
import { ModelError, modelFailureOf } from "./failures.ts";
import type { Provider } from "./provider.ts";
import { streamOf } from "./stream-of.ts";

/**
 * Gives a model one behaviour, whatever its package: every error is a ModelError, which holds no key; a stream never
 * throws (unless it was aborted) but ends with exactly one `finish` or one `error`; an answer that stops without an end is
 * an error.
 */
export function guard(model: LanguageModelV4, provider: Provider, environment: NodeJS.ProcessEnv): LanguageModelV4 {
  const source = sourceOf(provider, environment);
  const { specificationVersion, provider: name, modelId, supportedUrls } = model;
  return {
    ...{ specificationVersion, provider: name, modelId, supportedUrls },
    doGenerate: async (options) => {
      try {
        return await model.doGenerate(options);
      } catch (error) {
        throw explain(error, source, options.abortSignal);
      }
    },
    doStream: async (options) => {
      try {
        const { stream } = await model.doStream(options);
        return { stream: streamOf(guardedParts(stream, source, options.abortSignal)) };
      } catch (error) {
        throw explain(error, source, options.abortSignal);
      }
    },
  };
}

async function* guardedParts(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  source: FailureSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  try {
    // Leaving the loop cancels the stream and closes its connection.
    for await (const part of stream) {
      if (part.type === "error") return yield { type: "error", error: explain(part.error, source, signal) };
      if (part.type === "finish" && isCutOff(part)) break;
      yield part;
      if (part.type === "finish") return;
    }
  } catch (error) {
    const explained = explain(error, source, signal);
    if (!(explained instanceof ModelError)) throw explained;
    return yield { type: "error", error: explained };
  }
  yield { type: "error", error: explain(new TypeError("terminated"), source, signal) };
}

/** The packages make up an end if the server's is missing. */
const isCutOff = ({
  finishReason: { unified, raw },
}: Extract<LanguageModelV4StreamPart, { type: "finish" }>): boolean => unified === "other" && raw === undefined;

/** An abort stays what it is. */
function explain(error: unknown, source: FailureSource, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? (signal.reason ?? error) : new ModelError(modelFailureOf(error, source));
}

function sourceOf({ title, keys }: Provider, environment: NodeJS.ProcessEnv): FailureSource {
  const values = keys.map((key) => environment[key]).filter((value): value is string => !!value);
  return {
    title,
    key: keys.find((key) => environment[key]),
    // Providers repeat keys in their errors. What looks like a key is one, even if it is not ours.
    redact: (text) =>
      createRedactor().redact(values.reduce((left, value) => left.replaceAll(value, "[redacted]"), text)),
  };
}
