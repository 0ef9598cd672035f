import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { ScriptedTurn } from "./scripted-model.ts";

/** A message as it comes over the wire. */
export interface WireMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** A server of models on this machine, which the provider `openrouter` calls: its models have prices. */
export interface ModelServer {
  /** What the loop needs in its environment. */
  environment: { OPENROUTER_BASE_URL: string; OPENROUTER_API_KEY: string };
  /** The messages of every request so far. */
  requests: WireMessage[][];
  /** Lets every answer that hangs go on. */
  release(): void;
  close(): Promise<void>;
}

/** Plays a script over the wire: a list, by the number of answers in the request, so that it does not depend on the process. */
export async function serveModel(
  script: readonly ScriptedTurn[] | ((messages: WireMessage[]) => ScriptedTurn),
): Promise<ModelServer> {
  const requests: WireMessage[][] = [];
  const held = new Set<() => void>();
  const turnOf = typeof script === "function" ? script : byAnswers(script);
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { messages } = JSON.parse(body) as { messages: WireMessage[] };
    requests.push(messages);
    const turn = turnOf(messages);
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (turn.hangs) {
      response.flushHeaders();
      await new Promise<void>((resolve) => held.add(resolve));
    }
    play(response, turn, answersIn(messages));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  const environment = { OPENROUTER_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENROUTER_API_KEY: "a-dummy-key" };
  return {
    ...{ environment, requests, close },
    release() {
      for (const resolve of held) resolve();
      held.clear();
    },
  };
}

const byAnswers =
  (script: readonly ScriptedTurn[]) =>
  (messages: WireMessage[]): ScriptedTurn =>
    script[answersIn(messages)] ?? { text: "The script is over." };

const answersIn = (messages: WireMessage[]): number => messages.filter(({ role }) => role === "assistant").length;

function play(response: ServerResponse, { text, calls = [], usage, finish }: ScriptedTurn, number: number): void {
  const send = (choice: object | undefined, more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: "chunk", object: "chat.completion.chunk", created: 0, model: "scripted", choices: choice ? [{ index: 0, ...choice }] : [], ...more })}\n\n`,
    );
  for (const content of text?.match(/\S+\s*|\s+/g) ?? []) send({ delta: { role: "assistant", content } });
  for (const [index, { id = `call-${number + 1}-${index + 1}`, name, input }] of calls.entries()) {
    const call = { name, arguments: typeof input === "string" ? input : JSON.stringify(input) };
    send({ delta: { role: "assistant", tool_calls: [{ index, id, type: "function", function: call }] } });
  }
  const reason = finish === "length" ? "length" : calls.length > 0 ? "tool_calls" : "stop";
  send({ delta: {}, finish_reason: reason });
  const { input, output } = usage ?? { input: 100, output: 10 };
  send(undefined, { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } });
  response.end("data: [DONE]\n\n");
}
