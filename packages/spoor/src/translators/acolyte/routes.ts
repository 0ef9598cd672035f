import type { ServerResponse } from "node:http";
import type { TaskContext } from "../../runtime/tasks/context.ts";
import type { EventStream, OpenStream } from "./chat-stream.ts";
import type { RpcSocket } from "./outbox.ts";

/** The parts of a server that the routes use. */
export interface AcolyteContext extends Omit<TaskContext, "by"> {
  isStopping(): boolean;
  openSse(call: HttpCall, options: Parameters<OpenStream>[0]): EventStream;
}

/** A request to a route. */
export interface HttpCall {
  response: ServerResponse;
  json(): Promise<unknown>;
}

/** The messages of clients are as long as the bodies of HTTP requests may be. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** The Acolyte protocol, over a WebSocket and over HTTP. Everything else is loaded with the first request. */
export function acolyteRoutes(context: AcolyteContext) {
  let loading: ReturnType<typeof load> | undefined;
  const load = async () => {
    const { openAcolyte, serveRpc, streamChat } = await import("./open-acolyte.ts");
    return { acolyte: openAcolyte(context), serveRpc, streamChat };
  };
  const loaded = () => {
    loading ??= load();
    return loading;
  };

  return [
    {
      method: "GET",
      path: "/v1/rpc",
      operation: "openRpc",
      summary: "Talk to agents over a WebSocket, with the RPC of the Acolyte protocol",
      answers: { 101: { description: "The connection is a WebSocket from here on." } },
      upgrade: {
        maxMessageBytes: MAX_MESSAGE_BYTES,
        async load() {
          const { acolyte, serveRpc } = await loaded();
          return (socket: RpcSocket) => serveRpc(acolyte, socket);
        },
      },
    },
    {
      method: "GET",
      path: "/v1/status",
      operation: "getChatStatus",
      summary: "Get the version and capabilities of the Acolyte protocol, and how busy the server is",
      answers: { 200: { description: "The status.", content: { "application/json": "ChatStatus" } } },
      async handle({ response }: HttpCall) {
        const { acolyte } = await loaded();
        const body = `${JSON.stringify(await acolyte.status())}\n`;
        response.writeHead(200, { "Content-Type": "application/json; charset=utf-8" }).end(body);
      },
    },
    {
      method: "POST",
      path: "/v1/chat/stream",
      operation: "streamChat",
      summary: "Ask an agent, and get what it does as a stream of the Acolyte protocol",
      description: "The stream ends with one `done`, which holds the reply, or with one `error`.",
      body: "ChatRequest",
      answers: { 200: { description: "Server-sent events.", content: { "text/event-stream": undefined } } },
      async handle(call: HttpCall) {
        const { acolyte, streamChat } = await loaded();
        await streamChat(acolyte, await call.json(), (options) => context.openSse(call, options));
      },
    },
  ] as const;
}
