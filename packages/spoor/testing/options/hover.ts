import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Returns what an editor shows when the pointer is on the property at the end of each line of code. Asks the language
 * server of TypeScript about a file that exists in its memory only.
 */
export async function hoverTexts(firstLine: string, lines: readonly { code: string }[]): Promise<string[]> {
  const root = path.resolve(import.meta.dirname, "../../../..");
  const server = spawn(path.join(root, "node_modules/.bin/tsc"), ["--lsp", "-stdio"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const exited = once(server, "exit");
  const waiting = new Map<number, (result: unknown) => void>();
  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const ask = (method: string, params?: object): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const id = waiting.size + 1;
    waiting.set(id, resolve);
    send({ id, method, params });
    return promise;
  };
  let received = Buffer.alloc(0);
  server.stdout.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    for (let end = received.indexOf("\r\n\r\n"); end !== -1; end = received.indexOf("\r\n\r\n")) {
      const length = Number(/Content-Length: (\d+)/i.exec(received.toString("latin1", 0, end))?.[1]);
      if (received.length < end + 4 + length) return;
      const message = JSON.parse(received.toString("utf8", end + 4, end + 4 + length));
      received = received.subarray(end + 4 + length);
      if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: null });
      else waiting.get(message.id)?.(message.result);
    }
  });
  try {
    await ask("initialize", { processId: process.pid, rootUri: pathToFileURL(root).href, capabilities: {} });
    send({ method: "initialized", params: {} });
    const uri = pathToFileURL(path.join(root, "packages/spoor/testing/hover-probe.ts")).href;
    const text = [firstLine, ...lines.map(({ code }) => code)].join("\n");
    send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "typescript", version: 1, text } },
    });
    const texts: string[] = [];
    for (const [index, { code }] of lines.entries()) {
      const position = { line: index + 1, character: code.length - 2 };
      const hover = (await ask("textDocument/hover", { textDocument: { uri }, position })) as Hover;
      texts.push(hover?.contents.value ?? "");
    }
    await ask("shutdown");
    return texts;
  } finally {
    send({ method: "exit" });
    server.stdin.end();
    await exited;
  }
}

type Hover = { contents: { value: string } } | null;
