import type { DialectName } from "../script.ts";
import { readAnthropic } from "./read-anthropic.ts";
import { readChat } from "./read-chat.ts";
import { readGemini } from "./read-gemini.ts";
import { readResponses } from "./read-responses.ts";

/** What a client read from an answer, independent of the dialect. */
export interface Understood {
  text: string;
  thinking: string;
  /** The parsed input, or its text if it is not JSON. */
  calls: { name: string; input: unknown; id?: string | undefined }[];
  stop: string;
  usage: { input: number; output: number; cacheRead: number };
}

/** A small client of each dialect: how it asks and how it reads. Written from the APIs, not from the server. */
export interface Client {
  name: DialectName;
  path(streams: boolean): string;
  ask(streams: boolean): object;
  readStream(events: readonly SseEvent[]): Understood;
  readWhole(body: Json): Understood;
  errorMessage(body: Json): unknown;
}

interface SseEvent {
  event: string | undefined;
  data: string;
}

// biome-ignore lint/suspicious/noExplicitAny: foreign JSON, read by tests that fail where it is not as it should be
export type Json = any;

const TOOL = { name: "run", description: "Runs.", parameters: { type: "object", properties: {} } };

export const CLIENTS: readonly Client[] = [
  {
    name: "anthropic",
    path: () => "/v1/messages?beta=true",
    ask: (stream) => ({ model: "m", stream, max_tokens: 99, messages: [], tools: [{ name: "run", input_schema: {} }] }),
    ...readAnthropic,
  },
  {
    name: "responses",
    path: () => "/v1/responses",
    ask: (stream) => ({ model: "m", stream, input: [], tools: [{ type: "function", ...TOOL }] }),
    ...readResponses,
  },
  {
    name: "chat",
    path: () => "/v1/chat/completions",
    ask: (stream) => ({ model: "m", stream, messages: [], tools: [{ type: "function", function: TOOL }] }),
    ...readChat,
  },
  {
    name: "gemini",
    path: (streams) => `/v1beta/models/m:${streams ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    ask: () => ({ contents: [], tools: [{ functionDeclarations: [TOOL] }] }),
    ...readGemini,
  },
];

export function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

export function ask(url: string, client: Client, streams = true): Promise<Response> {
  return post(url + client.path(streams), client.ask(streams));
}

export function parseEvents(stream: string): SseEvent[] {
  const records = stream.split("\n\n").filter((record) => record !== "");
  return records.map((record) => {
    const fields = new Map(
      record.split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
    );
    return { event: fields.get("event"), data: fields.get("data") ?? "" };
  });
}
