import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { ToolContext, ToolResult } from "../tools/tool.ts";
import { type Definition, readDefinition } from "./definitions.ts";
import { CALL_MS, MAX_PAGES, MAX_TOOLS, tooLarge } from "./limits.ts";
import { readResult } from "./result.ts";

export interface ConnectionOptions {
  name: string;
  transport: Transport & { ending?: string | undefined };
  /** How long connecting may take, and how long a call may. */
  connectMs: number;
  callMs?: number | undefined;
  /** The real path of the workspace, which the server may ask for. */
  root: string;
  signal: AbortSignal;
  /** Something for people who look for a fault. */
  onNote(message: string): void;
  /** The server offers other tools than before. */
  onTools(definitions: readonly Definition[]): void;
  /** The connection ended by itself. */
  onEnd(reason: string): void;
}

/** A connection to one MCP server. */
export interface Connection {
  call(tool: string, input: Record<string, unknown>, context: ToolContext): Promise<ToolResult>;
  /** Resolves when the connection is closed, and the process of the server is gone. */
  close(): Promise<void>;
}

/** Connects to a server and reads its tools. Rejects if it does not answer in time or not as it should; it is closed then. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { transport, connectMs, callMs = CALL_MS, root, onNote, onEnd } = options;
  const client = await createClient(root);
  let isOpen = false;
  /** Ends the calls that wait for an answer which can no longer be read. */
  let broken = new AbortController();
  client.onerror = ({ message }) => {
    onNote(message);
    if (!BREAKS.test(message)) return;
    broken.abort(new Error(message.includes(tooLarge) ? tooLarge : "The connection was cut off."));
    broken = new AbortController();
  };
  client.onclose = () => {
    if (isOpen) onEnd(endOf(transport));
  };
  const close = async (): Promise<void> => {
    isOpen = false;
    await client.close().catch(() => {});
    // The client forgets a transport that failed while it was starting.
    await transport.close().catch(() => {});
  };
  const deadline = AbortSignal.any([options.signal, AbortSignal.timeout(connectMs)]);
  try {
    await client.connect(transport, { timeout: connectMs, signal: deadline });
    await listen(client, options);
    options.onTools(await listTools(client, options, deadline));
    isOpen = true;
  } catch (error) {
    const ending = transport.ending;
    await close();
    if (ending !== undefined) throw new Error(`It ended before it answered (${ending}).`, { cause: error });
    if (deadline.aborted && !options.signal.aborted) throw new Error(`It did not answer within ${connectMs / 1000} s.`);
    throw withStatus(error as Error);
  }

  async function call(tool: string, input: Record<string, unknown>, context: ToolContext): Promise<ToolResult> {
    const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const startedAt = performance.now();
    const cut = broken.signal;
    try {
      const result = await client.request(
        { method: "tools/call", params: { name: tool, arguments: input } },
        ResultSchema,
        {
          signal: AbortSignal.any([context.signal, cut]),
          timeout: callMs,
          onprogress: ({ progress, total, message }) =>
            onNote(
              `${tool}: ${progress}${total === undefined ? "" : `/${total}`}${message === undefined ? "" : ` ${message}`}`,
            ),
        },
      );
      return await readResult(result, context);
    } catch (caught) {
      const error = caught as Error;
      if (context.signal.aborted) return failed("The call was cancelled.", { outcome: "cancelled" });
      if (isTimeout(error) && performance.now() - startedAt >= callMs - 1)
        return failed(`The server did not answer within ${callMs / 1000} s.`, { outcome: "timed_out" });
      const reason = client.transport === undefined ? endOf(transport) : (cut.aborted ? cut.reason : error).message;
      return failed(`The call did not get an answer: ${reason}`, { protocol: true });
    }
  }

  return { call, close };
}

/** Errors of a stream after which no answer can come. */
const BREAKS = /^SSE stream disconnected/;

const endOf = ({ ending }: ConnectionOptions["transport"]): string =>
  ending === undefined ? "The server closed the connection." : `The server ended (${ending}).`;

/** The SDK leaves the status out of its message. */
function withStatus(error: Error & { code?: unknown }): Error {
  const { code } = error;
  if (typeof code !== "number" || code < 400 || code > 599) return error;
  const advice = code === 401 || code === 403 ? " Set a header for it, such as Authorization: Bearer $NAME." : "";
  return new Error(`It answered with the status ${code}.${advice}`, { cause: error });
}

const failed = (error: string, more: Partial<ToolResult>): ToolResult => ({
  output: "",
  summary: error,
  error,
  ...more,
});

const isTimeout = (error: unknown): boolean => (error as { code?: unknown }).code === -32_001;

async function createClient(root: string): Promise<Client> {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { ListRootsRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const { pathToFileURL } = await import("node:url");
  const client = new Client(
    { name: "spoor", version: "1" },
    {
      capabilities: { roots: {} },
      // Schemas come from the server, and a pattern in one can take forever. The server checks its input itself.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: pathToFileURL(root).href, name: "workspace" }],
  }));
  return client;
}

/** Reads the list again whenever the server says that it changed, and passes its log on. */
async function listen(client: Client, options: ConnectionOptions): Promise<void> {
  const types = await import("@modelcontextprotocol/sdk/types.js");
  let isReading = false;
  let isStale = false;
  const read = async (): Promise<void> => {
    do {
      isStale = false;
      options.onTools(
        await listTools(client, options, AbortSignal.any([options.signal, AbortSignal.timeout(options.connectMs)])),
      );
    } while (isStale);
  };
  client.setNotificationHandler(types.ToolListChangedNotificationSchema, async () => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    await read().catch((error: Error) => options.onNote(`Its changed tools could not be read: ${error.message}`));
    isReading = false;
  });
  client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params: { level, data } }) =>
    options.onNote(`${level}: ${typeof data === "string" ? data : JSON.stringify(data)}`),
  );
}

async function listTools(client: Client, { onNote }: ConnectionOptions, signal: AbortSignal): Promise<Definition[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const found = new Map<string, Definition>();
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = typeof cursor === "string" ? { cursor } : {};
    const { tools, nextCursor } = await client.request({ method: "tools/list", params }, ResultSchema, { signal });
    for (const listed of Array.isArray(tools) ? tools : []) {
      const tool = readDefinition(listed);
      if (typeof tool === "string") onNote(`${tool} It is left out.`);
      else if (found.has(tool.tool)) onNote(`It lists the tool ${tool.tool} twice. The second one is left out.`);
      else found.set(tool.tool, tool);
      if (found.size > MAX_TOOLS) return [...found.values()];
    }
    cursor = nextCursor;
    if (typeof cursor !== "string") return [...found.values()];
  }
  onNote(`Its list of tools does not end. Only the first ${MAX_PAGES} pages are used.`);
  return [...found.values()];
}
