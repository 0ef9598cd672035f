import { asText, asTexts, parseObject } from "../../../kit/json-values.ts";
import type { Answer, Driver, LaunchRequest } from "../../../machine.ts";
import { isYes } from "../calls/pi-tool-calls.ts";

interface Question {
  method: string;
  options: readonly string[];
}

/** Writes to the agent's standard input. `first` contains frames to write before the prompt. */
export function createPiDriver({ prompt, attachments = [] }: LaunchRequest, first: readonly object[] = []): Driver {
  const images = attachments.flatMap((attachment) =>
    "base64" in attachment ? [{ type: "image", data: attachment.base64, mimeType: attachment.mimeType }] : [],
  );
  /** Open questions, with what is needed to answer them. */
  const asked = new Map<string, Question>();
  return {
    endsWithInput: true,
    // Only this command reports the session's id.
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

/** Some extensions ask for permission with a list of choices. The answer must be one of them. */
function responseTo(question: Question | undefined, { granted, text }: Answer): object {
  if (question?.method === "confirm") return { confirmed: granted };
  if (!granted) return { cancelled: true };
  return { value: text ?? question?.options.find(isYes) ?? "" };
}
