import { fail, failureOf, failureOfExit, interrupted, startFailure } from "../kit/failures.ts";
import { createJsonMachine, frameReaders, type JsonFrameReader } from "../kit/json-machine.ts";
import { asCount, asNumber, asObject, asText, type Json } from "../kit/json-values.ts";
import { SessionTracker } from "../kit/session-tracker.ts";
import { usageSignals } from "../kit/usage-amounts.ts";
import type { Dialect, Frame } from "../machine.ts";
import type { Signal } from "../signal.ts";
import { Calls } from "./hermes-tool-calls.ts";

export const login = "Run `hermes setup`, or set the API key of the provider, such as OPENROUTER_API_KEY.";

/** `chat -q … --format stream-json`: one prompt, always with a result at the end. */
export const streamJson: Dialect = {
  name: "stream-json",
  recognises: (frames) => frames.some(isOfThisDialect),
  streams: { text: true, toolCalls: false, thinking: false },
  canAsk: false,
  tokensOnly: true,
  createMachine: () => createJsonMachine(createHermesReader()),
};

function isOfThisDialect({ value }: Frame): boolean {
  const { type, timestamp, jsonrpc } = asObject(value) ?? {};
  return spoken.has(String(type)) && typeof timestamp === "number" && jsonrpc === undefined;
}

const spoken = new Set(["system", "text", "tool_use", "tool_result", "result"]);

function createHermesReader(): JsonFrameReader {
  const calls = new Calls();
  let model: string | undefined;
  const session = new SessionTracker();
  let messages = 0;
  let hasOutput = false;
  /** Whether the next output belongs to another model call. */
  let hasNewInput = true;
  let isDone = false;

  const called = (): Signal[] => {
    if (!hasNewInput) return [];
    hasNewInput = false;
    messages += 1;
    return [{ kind: "call", ...(model && { model }) }];
  };

  const readers = frameReaders({
    system: (frame) => (frame.subtype === "init" ? begin(frame) : undefined),
    text({ text }) {
      hasOutput = true;
      return [...called(), { kind: "text", key: `${messages}`, delta: asText(text) ?? "" }];
    },
    tool_use: (frame) => [...called(), ...calls.start(frame)],
    tool_result(frame) {
      const signals = calls.end(frame);
      hasNewInput = true;
      return signals;
    },
    result: end,
  });

  function begin(frame: Json): Signal[] {
    model = asText(frame.model) || undefined;
    // The id may be empty at first.
    return [...session.update(frame.session_id), { kind: "prompt" }];
  }

  function end(frame: Json): Signal[] {
    const exitCode = asNumber(frame.exit_code) ?? 0;
    const text = asText(frame.text) ?? "";
    isDone = true;
    // If the answer was streamed, this repeats it.
    const isNew = !hasOutput && exitCode === 0 && text !== "";
    return [
      ...(session.id === undefined ? session.update(frame.session_id) : []),
      ...(isNew ? called() : []),
      ...usedIn(asObject(frame.tokens) ?? {}),
      ...(exitCode === 0
        ? []
        : [failed(exitCode, asText(frame.error) || text || `Hermes exited with code ${exitCode}.`)]),
      { kind: "promptDone", ...(isNew && { text }) },
    ];
  }

  return {
    frame: (frame) => readers.get(frame.type)?.(frame),
    exit(code, signal, stderr) {
      if (isDone) return [];
      if (code === 130) return [fail(interrupted)];
      const hasBegun = session.id !== undefined || messages > 0;
      return [fail(hasBegun ? failureOfExit(code, signal, stderr) : startFailure(code, signal, stderr, login))];
    },
  };
}

const failed = (exitCode: number, message: string): Signal =>
  fail(exitCode === 130 ? interrupted : failureOf(undefined, message, login));

/** Tokens of the whole run. The total minus the output is the input, including cached tokens. */
function usedIn(tokens: Json): Signal[] {
  const count = (name: string): number => asCount(tokens[name]) ?? 0;
  const [cachedTokens, outputTokens] = [count("cache_read"), count("output")];
  const inputTokens = Math.max(count("input"), count("total") - outputTokens);
  return usageSignals({ inputTokens, outputTokens, cachedTokens });
}
