import { noteOfFrame } from "../../kit/fact-signals.ts";
import { fail, internalError } from "../../kit/failures.ts";
import { createJsonMachine, type JsonFrameReader } from "../../kit/json-machine.ts";
import { asNumber, asObject, asText, type Json } from "../../kit/json-values.ts";
import type { Dialect } from "../../machine.ts";
import type { Signal } from "../../signal.ts";
import { failedExit } from "../session/copilot-failures.ts";
import { Session } from "../session/copilot-session.ts";

/**
 * `copilot -p … --output-format json`: one prompt. When many events come at once, Copilot silently drops those marked
 * as ephemeral, even from the middle of a message. So streamed pieces are reported only if the whole message never
 * comes.
 */
export const promptJson: Dialect = {
  name: "json",
  recognises: (frames) => frames.some(({ value }) => isFrame(asObject(value) ?? {})),
  streams: { text: false, toolCalls: false, thinking: false },
  canAsk: false,
  createMachine: () => createJsonMachine(createPromptReader()),
};

const isFrame = ({ type, data, exitCode, sessionId }: Json): boolean =>
  (/^(?:session|user|assistant|model|tool|system|subagent|agent)\.\w+$/.test(asText(type) ?? "") &&
    asObject(data) !== undefined) ||
  (type === "result" && asNumber(exitCode) !== undefined && asText(sessionId) !== undefined);

function createPromptReader(): JsonFrameReader {
  const session = new Session();
  /** Held pieces of the current message of each agent. */
  const held = new Map<string | undefined, Json[]>();
  let hasResult = false;
  let hasFailed = false;

  function event(frame: Json): Signal[] | undefined {
    const type = asText(frame.type) ?? "";
    const agent = asText(frame.agentId);
    if (pieces.has(type)) {
      const frames = held.get(agent) ?? [];
      frames.push(frame);
      held.set(agent, frames);
      return [];
    }
    if (type === "assistant.message") held.delete(agent);
    const cut = endsSpeech.has(type) ? release(agent) : [];
    const reported = session.event(frame);
    hasFailed ||= reported?.some(({ kind }) => kind === "fail") === true;
    return cut.length > 0 ? [...cut, ...(reported ?? [])] : reported;
  }

  /** Reports the held pieces of a message that was cut short. */
  function release(agent: string | undefined): Signal[] {
    const frames = held.get(agent) ?? [];
    held.delete(agent);
    return frames.flatMap((frame) => session.event(frame) ?? []);
  }

  function result(frame: Json): Signal[] {
    hasResult = true;
    const id = asText(frame.sessionId);
    const code = asNumber(frame.exitCode) ?? 0;
    return [
      noteOfFrame(frame),
      ...(id === undefined ? [] : [{ kind: "session", id } as const]),
      ...(code === 0 || hasFailed ? [] : [fail(internalError(`Copilot ended with exit code ${code}.`))]),
      { kind: "promptDone" },
    ];
  }

  return {
    frame: (frame) => (frame.type === "result" && !asObject(frame.data) ? result(frame) : event(frame)),
    exit(code, signal, stderr) {
      if (hasResult) return [];
      const cut = [...held.keys()].flatMap(release);
      return hasFailed ? cut : [...cut, failedExit(code, signal, stderr)];
    },
  };
}

const pieces = new Set(["assistant.message_delta", "assistant.reasoning_delta", "assistant.tool_call_delta"]);
const endsSpeech = new Set(["assistant.turn_retry", "assistant.turn_end", "abort"]);
