import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { onTestFinished } from "vitest";
import { createTestServer, type ServerOptions } from "./server.ts";

/** Starts an MCP server that speaks streamable HTTP, and stops it after the test. */
export async function startHttpServer(
  options: ServerOptions & { token?: string; redirect?: string } = {},
): Promise<{ url: string; requests: { method: string; authorization: string | undefined }[] }> {
  const requests: { method: string; authorization: string | undefined }[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization } = request.headers;
    requests.push({ method: request.method ?? "", authorization });
    if (options.redirect !== undefined) response.writeHead(307, { location: options.redirect }).end();
    else if (options.token !== undefined && authorization !== `Bearer ${options.token}`) response.writeHead(401).end();
    else await (await sessionOf(request)).handleRequest(request, response);
  };
  const sessionOf = async (request: IncomingMessage): Promise<StreamableHTTPServerTransport> => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known) return known;
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createTestServer(options).connect(transport as Parameters<ReturnType<typeof createTestServer>["connect"]>[0]);
    return transport;
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests };
}
