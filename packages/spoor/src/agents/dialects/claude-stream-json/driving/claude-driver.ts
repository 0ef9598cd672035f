import { asObject, asText, type Json, parseObject } from "../../../kit/json-values.ts";
import type { Answer, Attachment, Driver, LaunchRequest } from "../../../machine.ts";

/** How the driver behaves towards one agent. */
export interface DriverTraits {
  /** The agent asks for permission only after an `initialize` request. */
  readonly handshake?: true;
  /** The agent accepts prompts only, no answers and no interrupts. */
  readonly promptsOnly?: true;
}

/** Writes prompts, answers and interrupts to the agent's standard input. */
export function createDriver(
  { prompt, attachments = [] }: LaunchRequest,
  { handshake, promptsOnly }: DriverTraits,
): Driver {
  /** Permission requests by id: the answer must repeat the input. */
  const asked = new Map<string, Json>();
  let interrupts = 0;
  const opening = () => userMessage([...attachments.flatMap(blockOf), { type: "text", text: prompt }]);

  const prompts: Driver = {
    endsWithInput: true,
    open: () => [handshake ? control(INITIALIZE, { subtype: "initialize", hooks: null }) : opening()],
    follow: (text) => [userMessage([{ type: "text", text }])],
  };
  if (promptsOnly) return prompts;
  return {
    ...prompts,
    receive(line) {
      if (handshake && line.includes(INITIALIZE)) return [opening()];
      if (!line.includes("can_use_tool")) return [];
      const frame = parseObject(line);
      const id = asText(frame?.request_id);
      const request = asObject(frame?.request);
      if (id !== undefined && request?.subtype === "can_use_tool") asked.set(id, request);
      return [];
    },
    answer(id, answer) {
      const request = asked.get(id);
      asked.delete(id);
      const response = answer.granted
        ? allowed(request, answer)
        : { behavior: "deny", message: answer.text ?? "Refused." };
      return [JSON.stringify({ type: "control_response", response: { subtype: "success", request_id: id, response } })];
    },
    interrupt: () => [control(`interrupt-${++interrupts}`, { subtype: "interrupt" })],
  };
}

const INITIALIZE = "spoor-initialize";

const control = (request_id: string, request: object): string =>
  JSON.stringify({ type: "control_request", request_id, request });

const userMessage = (content: readonly object[]): string =>
  JSON.stringify({
    type: "user",
    session_id: "",
    parent_tool_use_id: null,
    message: { role: "user", content },
  });

/** An attachment's bytes as a content block: an image, a PDF or plain text. */
function blockOf(attachment: Attachment): object[] {
  if (!("base64" in attachment)) return [];
  const { name, mimeType, base64 } = attachment;
  if (mimeType.startsWith("image/")) {
    return [{ type: "image", source: { type: "base64", media_type: mimeType, data: base64 } }];
  }
  if (mimeType === "application/pdf") {
    return [{ type: "document", title: name, source: { type: "base64", media_type: mimeType, data: base64 } }];
  }
  const data = Buffer.from(base64, "base64").toString("utf8");
  return [{ type: "document", title: name, source: { type: "text", media_type: "text/plain", data } }];
}

/** A question is a tool call: the answer is sent as part of its input. */
function allowed(request: Json | undefined, { text }: Answer): object {
  const input = asObject(request?.input) ?? {};
  if (request?.tool_name !== "AskUserQuestion" || text === undefined) return { behavior: "allow", updatedInput: input };
  const questions = Array.isArray(input.questions) ? input.questions : [];
  const answers = Object.fromEntries(questions.map((question) => [asText(asObject(question)?.question) ?? "", text]));
  return { behavior: "allow", updatedInput: { ...input, answers } };
}
