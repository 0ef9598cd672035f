import { connect as dial } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { serve, startRun, TOKEN } from "../../../testing/server/serve.ts";

describe("a refused request", () => {
  const large = JSON.stringify({ note: "x".repeat(20 * 1024 * 1024) });

  it.each([
    ["too large", {}, 413, "body_too_large"],
    ["of another kind", { "content-type": "text/plain" }, 415, "unsupported_media_type"],
    ["without the token", { authorization: "Bearer wrong" }, 401, "unauthorized"],
  ])("for being %s is answered although its body is still being sent", async (_, headers, status, code) => {
    const { post, log } = await serve();
    const run = await startRun(log);
    for (let time = 0; time < 3; time++) {
      const response = await post(`/v1/runs/${run.run_id}/events`, large, headers);
      expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
    }
  });

  it("is closed soon when the rest of it does not arrive", async () => {
    const { server, log } = await serve();
    const run = await startRun(log);
    const { host, port } = new URL(server.url);
    const socket = dial(Number(port), "127.0.0.1");
    const head = [
      `POST /v1/runs/${run.run_id}/events HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: Bearer ${TOKEN}`,
      "Content-Length: 1000",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 415 /);
  });
});
