import { asText, asTexts, parseObject } from "../../../kit/json-values.ts";
import type { Answer, Driver, LaunchRequest } from "../../../machine.ts";
import { isYes } from "../calls/pi-tool-calls.ts";

interface Question {
  method: string;
  options: readonly string[];
}

/** Talks to the agent over its standard input. `first` are frames to write before the prompt. */
export function createPiDriver({ prompt, attachments = [] }: LaunchRequest, first: readonly object[] = []): Driver {
  const images = attachments.flatMap((attachment) =>
    "base64" in attachment ? [{ type: "image", data: attachment.base64, mimeType: attachment.mimeType }] : [],
  );
  /** How each open question is to be answered. */
  const asked = new Map<string, Question>();
  return {
    endsWithInput: true,
    // The session's id is nowhere else to be had.
    open: () => [
      '{"id":"state","type":"get_state"}',
      ...first.map((frame) => JSON.stringify(frame)),
      JSON.stringify({ id: "prompt", type: "prompt", message: prompt, ...(images.length > 0 && { images }) }),
    ],
    receive(line) {
      if (!line.includes("extension_ui_request")) return [];
      const frame = parseObject(line);
      const id = asText(frame?.id);
      const method = asText(frame?.method);
      const options = asTexts(frame?.options);
      if (frame?.type === "extension_ui_request" && id && method) asked.set(id, { method, options });
      return [];
    },
    follow: (message) => [JSON.stringify({ type: "prompt", message, streamingBehavior: "steer" })],
    answer(id, answer) {
      const question = asked.get(id);
      asked.delete(id);
      return [JSON.stringify({ type: "extension_ui_response", id, ...responseTo(question, answer) })];
    },
    interrupt: () => ['{"type":"abort"}'],
  };
}

/** Permission is a choice for some: it is given in the words that were offered. */
function responseTo(question: Question | undefined, { granted, text }: Answer): object {
  if (question?.method === "confirm") return { confirmed: granted };
  if (!granted) return { cancelled: true };
  return { value: text ?? question?.options.find(isYes) ?? "" };
}
