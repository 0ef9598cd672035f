import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it } from "vitest";
import type { RouteCall } from "../../server/http/route.ts";
import { mcpRoutes } from "./mcp-routes.ts";

it("serves MCP again when the server has room for streams again", async () => {
  let isFull = true;
  const opened: object[] = [];
  const add = (stream: object) => {
    if (isFull) throw new Error("The server has too many streams.");
    opened.push(stream);
    return () => {};
  };
  const [route] = mcpRoutes(() => Promise.reject(new Error("Not needed.")), { add });
  const handle = async () =>
    route?.handle?.({ request: {} as IncomingMessage, response: {} as ServerResponse } as RouteCall);
  await expect(handle()).rejects.toThrow("too many streams");
  isFull = false;
  await handle().catch((error: Error) => expect(error.message).not.toContain("too many streams"));
  await handle().catch(() => {});
  expect(opened).toHaveLength(1);
});
