import type { OpenStreams } from "../../server/feeds/open-streams.ts";
import type { Method, Route } from "../../server/http/route.ts";
import type { RouteContext } from "../../server/routes/route-context.ts";
import type { HttpSessions, HttpSessionsOptions } from "../../translators/mcp/transports/http-sessions.ts";
import { version } from "../version.ts";

/** Where MCP is served over HTTP. */
export const MCP_PATH = "/v1/mcp";

/** The routes of MCP in `spoor serve`, which only read. */
export const readingMcpRoutes = ({ log, directory, streams }: RouteContext): readonly Route[] =>
  mcpRoutes(async () => {
    const { createMcpServer } = await import("../../translators/mcp/server.ts");
    const onFault = (error: unknown) => console.error(error);
    return createMcpServer({ log: async () => log, directory }, { version: version(), onFault });
  }, streams);

/** The routes of MCP over streamable HTTP. Everything of MCP is loaded with the first request. */
export function mcpRoutes(
  createServer: HttpSessionsOptions["createServer"],
  streams: Pick<OpenStreams, "add">,
): readonly Route[] {
  let loading: Promise<HttpSessions> | undefined;

  async function open(): Promise<HttpSessions> {
    const { createHttpSessions } = await import("../../translators/mcp/transports/http-sessions.ts");
    // Its streams stay open until the server stops. First, because this throws if the server has too many streams.
    streams.add({ heartbeat() {}, end: () => void sessions.close() });
    const sessions = createHttpSessions({ createServer });
    return sessions;
  }

  const handle: Route["handle"] = async ({ request, response }) => {
    loading ??= open().catch((error: unknown) => {
      // The next request tries again.
      loading = undefined;
      throw error;
    });
    await (await loading).handle(request, response);
  };
  return rows.map(([method, operation, summary]) => ({
    ...{ method, path: MCP_PATH, operation, summary, description, answers, handle },
  }));
}

const rows: readonly [method: Method, operation: string, summary: string][] = [
  ["POST", "callMcp", "Send a message of the Model Context Protocol"],
  ["GET", "streamMcp", "Receive messages of the Model Context Protocol"],
  ["DELETE", "endMcp", "End a session of the Model Context Protocol"],
];

const description =
  "Streamable HTTP of the Model Context Protocol. It only reads: agents list, search and read runs, see diffs, costs and approvals.";

const answers: Route["answers"] = {
  200: {
    description: "A message, or a stream of messages.",
    content: { "application/json": undefined, "text/event-stream": undefined },
  },
};
