import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adapters } from "../agents/registry.ts";
import { createClient } from "../client.ts";

/** A server that echoes Content-Length frames, including characters of several bytes. */
const program = `
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write("Content-Length: " + Buffer.byteLength(body) + "\\r\\n\\r\\n" + body);
};
const tell = (type, data) => send({ method: "session.event", params: { sessionId: "s", event: { type, data } } });
let bytes = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  bytes = Buffer.concat([bytes, chunk]);
  for (;;) {
    const end = bytes.indexOf("\\r\\n\\r\\n");
    const length = Number(/Content-Length: (\\d+)/.exec(bytes.subarray(0, end))?.[1]);
    if (end < 0 || bytes.length < end + 4 + length) return;
    const { id, method, params } = JSON.parse(bytes.subarray(end + 4, end + 4 + length));
    bytes = bytes.subarray(end + 4 + length);
    send({ id, result: { sessionId: "s" } });
    if (method === "session.create") tell("session.start", { sessionId: "s" });
    if (method !== "session.send") continue;
    process.stdout.write("noise\\n");
    tell("assistant.message", { messageId: "m", content: params.prompt + " " + process.argv.slice(2).join(" ") });
    tell("session.idle", {});
  }
});
`;

it("talks to an agent whose messages are framed by their length", async () => {
  const folder = mkdtempSync(join(tmpdir(), "spoor-framing-"));
  try {
    const path = join(folder, "server.mjs");
    writeFileSync(path, program);
    const handle = createClient({ adapters }).run({
      agent: "copilot",
      prompt: "Grüße 🦊\nand more",
      cwd: folder,
      command: [process.execPath, path],
    });
    const { text, exitReason } = await handle.result();
    expect(exitReason).toBe("completed");
    expect(text).toBe("Grüße 🦊\nand more --headless --no-auto-update --stdio");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
