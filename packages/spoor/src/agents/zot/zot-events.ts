import { contextCompacted, imageInputAck, noteOfFrame, recoverableError } from "../kit/fact-signals.ts";
import { fail, failureOf, failureOfExit, interrupted, startFailure } from "../kit/failures.ts";
import { type FrameReader, frameReaders, type JsonFrameReader } from "../kit/json-machine.ts";
import { asObject, asObjects, asText, type Json } from "../kit/json-values.ts";
import { omitUndefined } from "../kit/omit-undefined.ts";
import type { Signal } from "../signal.ts";
import { ProcessCosts } from "./zot-costs.ts";
import { Calls } from "./zot-tool-calls.ts";

const login = "Run `zot` and use /login, or set the API key of the provider, such as ANTHROPIC_API_KEY.";

/**
 * Reads zot's events. zot reports the end of a turn when the model has answered, and runs the tools after that. So a
 * turn is over when the next begins or the prompt is done. `stays`: the process outlives its prompts.
 */
export function createZotReader({ stays }: { stays: boolean }): JsonFrameReader {
  const calls = new Calls();
  const spending = new ProcessCosts();
  let model: { model?: string; provider?: string } = {};
  let isBusy = false;
  let hasOutput = false;
  let prompts = 0;
  let failure: string | undefined;
  let messages = 0;
  let blocks = 0;
  /** Images of a prompt belong to the model call that receives them. */
  let images: Signal[] = [];

  const begin = (): Signal[] => {
    if (isBusy) return [];
    isBusy = true;
    if (failure !== undefined) spending.restart();
    failure = undefined;
    return [{ kind: "prompt" }];
  };

  const failed = (message: string): Signal[] => {
    if (message === failure) return [];
    failure = message;
    if (/max(imum)?[ _-]?steps/i.test(message)) return [fail({ type: "turn_limit", maxTurns: 0 })];
    return [fail(failureOf(undefined, message, login))];
  };

  const keyOf = (block: number): string => `${messages}.${block}`;

  const answered: FrameReader = ({ content }) => {
    // The deltas of a text tell only how many calls began before it.
    let begun = 0;
    return joinTexts(asObjects(content)).flatMap((block): Signal[] => {
      if (block.type === "text") return [{ kind: "textDone", key: keyOf(begun), text: asText(block.text) ?? "" }];
      if (block.type !== "tool_call") return [noteOfFrame(block)];
      begun += 1;
      return calls.ready(block) ?? [noteOfFrame(block)];
    });
  };

  const turnEnded: FrameReader = ({ stop, error }) => {
    const stopReason = asText(stop) || undefined;
    const { last: cost } = spending;
    spending.last = undefined;
    return [
      { kind: "callDone", ...omitUndefined({ stopReason, cost }) },
      ...(stop === "aborted" ? aborted() : []),
      ...(stop === "error" ? failed(asText(error) ?? "The model call failed.") : []),
    ];
  };

  const aborted = (): Signal[] => {
    failure = "";
    return [fail(interrupted)];
  };

  const done: FrameReader = () => {
    isBusy = false;
    prompts += 1;
    return [{ kind: "promptDone" }];
  };

  const response: FrameReader = (frame) => {
    const data = asObject(frame.data) ?? {};
    const [name, provider] = [asText(data.model), asText(data.provider)];
    if (name) model = { ...model, model: name };
    if (provider) model = { ...model, provider };
    const note = noteOfFrame(frame, frame.success === false ? "warn" : "verbose");
    const version = asText(data.version);
    if (frame.command === "hello" && version) return [note, { kind: "session", version }];
    if (frame.command === "prompt" && data.started === true) return [note, ...begin()];
    const isRefused = frame.success === false && (frame.command === "prompt" || frame.command === "hello");
    if (!isRefused || (isBusy && prompts > 0)) return [note];
    return [note, ...begin(), ...failed(asText(frame.error) ?? "zot refused the prompt."), ...(done(frame) ?? [])];
  };

  const readers = frameReaders({
    response,
    user_message: ({ content }) => {
      images = asObjects(content).flatMap(imageOf);
      return begin();
    },
    turn_start: () => {
      const taken = images;
      images = [];
      messages += 1;
      blocks = 0;
      return [...begin(), { kind: "call", ...model }, ...taken];
    },
    // Later events report the message.
    assistant_start: () => [],
    text_delta: ({ delta }) => [{ kind: "text", key: keyOf(blocks), delta: asText(delta) ?? "" }],
    tool_use_start: ({ id, name }) => {
      blocks += 1;
      return asText(id) ? calls.start(asText(id) ?? "", asText(name) || "unknown") : undefined;
    },
    tool_use_args: ({ id, delta }) => calls.input(asText(id) ?? "", asText(delta) ?? ""),
    tool_use_end: () => [],
    tool_call: (frame) => calls.ready(frame),
    tool_progress: ({ id, text }) => calls.progress(asText(id) ?? "", asText(text) ?? ""),
    tool_result: (frame) => calls.end(frame),
    assistant_message: answered,
    usage: (frame) => spending.read(frame),
    turn_end: turnEnded,
    done,
    error: ({ message }) =>
      isBusy || !stays ? failed(asText(message) ?? "") : [recoverableError(asText(message) ?? "")],
    compact_done: ({ summary }) => [contextCompacted(summary)],
    ext_notify: notified,
  });

  return {
    frame(frame) {
      hasOutput = true;
      return readers.get(frame.type)?.(frame);
    },
    // While zot works on a prompt, it reports itself when the next begins.
    sent: (frame) => (frame.type === "prompt" ? begin() : [noteOfFrame(frame)]),
    exit(code, signal, stderr) {
      const isWell = !isBusy && (prompts > 0 || (stays && hasOutput && code === 0 && signal === null));
      if (isWell || (failure !== undefined && signal === null)) return [];
      if (code === 130) return [fail(interrupted)];
      return [fail(hasOutput ? failureOfExit(code, signal, stderr) : startFailure(code, signal, stderr, login))];
    },
  };
}

/** Texts that follow each other were streamed as one. */
function joinTexts(blocks: readonly Json[]): Json[] {
  const joined: Json[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.type !== "text" || last?.type !== "text") joined.push(block);
    else joined[joined.length - 1] = { ...last, text: `${asText(last.text) ?? ""}${asText(block.text) ?? ""}` };
  }
  return joined;
}

const imageOf = ({ type, mime_type }: Json): Signal[] =>
  type === "image" ? [imageInputAck(asText(mime_type) ?? "")] : [];

function notified(frame: Json): Signal[] {
  const name = asText(frame.extension) || "extension";
  const message = asText(frame.message) ?? "";
  if (frame.level !== "error") return [noteOfFrame(frame, frame.level === "warn" ? "warn" : "verbose")];
  return [{ kind: "fact", fact: { type: "plugin_error", pluginId: name, pluginName: name, error: message } }];
}
