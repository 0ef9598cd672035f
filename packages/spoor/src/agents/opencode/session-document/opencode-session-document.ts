import { noteOfFrame } from "../../kit/fact-signals.ts";
import { createJsonMachine } from "../../kit/json-machine.ts";
import { asObject, asObjects, asText, type Json, parseObject } from "../../kit/json-values.ts";
import type { Dialect, Machine } from "../../machine.ts";
import type { Signal } from "../../signal.ts";
import { Conversation } from "../conversation/opencode-conversation.ts";
import { runJson } from "../run-json/opencode-run-json.ts";
import { serverEvents } from "../server-events/opencode-server-events.ts";

/**
 * A session as one JSON document over any number of lines: the message list of the server, or the output of `opencode
 * export`. Output without a JSON object in its first lines may be such a document, or noise before another dialect.
 */
export const sessionDocument: Dialect = {
  name: "session-document",
  recognises: ([first, ...rest]) => !first || (rest.length === 0 && isExport(asObject(first.value))),
  streams: { text: false, toolCalls: false, thinking: false },
  canAsk: false,
  createMachine,
};

const isExport = (document: Json | undefined): boolean =>
  asObject(document?.info) !== undefined && Array.isArray(document?.messages);

function createMachine(): Machine {
  const lines: string[] = [];
  let stream: Machine | undefined;

  /** Chooses a dialect by the first line; undefined if it is a document. */
  function choose(line: string): Machine | undefined {
    if (/^(data|event|id):/.test(line)) return serverEvents.createMachine();
    const isDocument = /^\s*[[{]/.test(line) && (!parseObject(line) || isExport(parseObject(line)));
    return isDocument ? undefined : runJson.createMachine();
  }

  return {
    line(line) {
      if (lines.length === 0 && line.trim() !== "") stream ??= choose(line);
      if (stream) return stream.line(line);
      if (lines.length > 0 || line.trim() !== "") lines.push(line);
      return [];
    },
    stderr: (line) => stream?.stderr?.(line) ?? [{ kind: "log", source: "stderr", line }],
    exit(code, signal) {
      const document = lines.length > 0 ? read(lines.join("\n")) : undefined;
      if (document) return document;
      const logs = lines.map((line): Signal => ({ kind: "log", source: "stdout", line }));
      return [...logs, ...(stream ?? runJson.createMachine()).exit(code, signal)];
    },
  };
}

function read(text: string): Signal[] | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const info = asObject(asObject(document)?.info);
  const messages = asObjects(Array.isArray(document) ? document : asObject(document)?.messages);
  const id = asText(info?.id) ?? asText(asObject(messages[0]?.info)?.sessionID);
  if (!id) return undefined;
  const conversation = new Conversation();
  // An error in one message must not affect the others.
  const machine = createJsonMachine({ frame: (message) => reported(conversation, message), exit: () => [] });
  const signals = messages.flatMap((message) => machine.line(JSON.stringify(message)));
  return [{ kind: "session", id }, ...signals, { kind: "promptDone" }];
}

function reported(conversation: Conversation, { info, parts }: Json): Signal[] | undefined {
  const about = asObject(info);
  if (!about) return undefined;
  const failure = conversation.message(about);
  const signals = asObjects(parts).flatMap((part) => conversation.part(part) ?? [noteOfFrame(part)]);
  if (about.role === "user") return [{ kind: "promptDone" }, { kind: "prompt" }, ...signals];
  return [...signals, ...(conversation.summary ? [conversation.compacted()] : []), ...failure];
}
