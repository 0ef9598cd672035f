import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { bin } from "../cli/process.ts";
import { type AcpPlace, createAcpPlace } from "./place.ts";
import { createMessageCheck, type Message } from "./schema.ts";

/** `spoor acp` with raw lines instead of a client. Every line it prints is a message that passes the published schema. */
function startRaw({ cwd, env }: AcpPlace) {
  const child: ChildProcess = spawn(process.execPath, [bin, "acp"], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin?.on("error", () => {});
  const received: Message[] = [];
  const waiting: (() => void)[] = [];
  const check = createMessageCheck();
  const problems: string[] = [];
  onTestFinished(() => expect(problems).toEqual([]));
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const message = JSON.parse(line) as Message;
    problems.push(...check("agent", message));
    received.push(message);
    for (const wake of waiting.splice(0)) wake();
  });
  const write = (text: string) => void child.stdin?.write(text);
  /** What the client writes may be wrong: only the answer is judged. */
  const send = (message: Message, how: (line: string) => void = write) => {
    check("client", message);
    how(`${JSON.stringify(message)}\n`);
  };
  const answerTo = async (id: unknown): Promise<Message> => {
    for (;;) {
      const index = received.findIndex((message) => message.id === id && message.method === undefined);
      if (index >= 0) return received.splice(index, 1)[0] as Message;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  let count = 0;
  const ask = (method: string, params?: unknown): Promise<Message> => {
    count += 1;
    send({ jsonrpc: "2.0", id: count, method, params });
    return answerTo(count);
  };
  return { child, write, send, ask, answerTo, received };
}

describe("a peer that breaks the protocol", { timeout: 60_000 }, () => {
  test("gets the error of the protocol for each broken message, and the connection goes on", async () => {
    const place = createAcpPlace();
    const { child, write, send, ask, answerTo, received } = startRaw(place);
    expect(await ask("session/new", { cwd: place.cwd, mcpServers: [] })).toMatchObject({ error: { code: -32600 } });
    const initialized = await ask("initialize", { protocolVersion: 65_535, clientCapabilities: {} });
    expect(initialized).toMatchObject({ result: { protocolVersion: 1, authMethods: [] } });
    expect(await ask("initialize", { protocolVersion: 1 })).toMatchObject({ result: { protocolVersion: 1 } });

    const nobody = null;
    for (const [line, code] of [
      ["this is not JSON\n", -32700],
      ['{"jsonrpc":"2.0","id":\n', -32700],
      ['[{"jsonrpc":"2.0","id":70,"method":"session/list","params":{}}]\n', -32600],
      ['"text"\n', -32600],
      ['{"jsonrpc":"2.0"}\n', -32600],
    ] as const) {
      write(line);
      expect(await answerTo(nobody), line).toMatchObject({ error: { code } });
    }
    for (const method of ["session/fly", "_example/thing", "authenticate", "craft/drainMidTurnQueue"]) {
      expect(await ask(method, {}), method).toMatchObject({ error: { code: -32601 } });
    }
    // Notifications are never answered, known or not.
    write('{"jsonrpc":"2.0","method":"_example/note","params":{}}\n');
    write('{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"nobody"}}\n');
    write('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":4711}}\n');
    write('{"jsonrpc":"2.0","id":4711,"result":{}}\n');
    write("\n   \n");

    for (const params of [
      {},
      { cwd: "relative", mcpServers: [] },
      { cwd: "/no/such/folder", mcpServers: [] },
      { cwd: 7 },
    ]) {
      expect(await ask("session/new", params)).toMatchObject({ error: { code: -32602 } });
    }
    const prompt = [{ type: "text", text: "x" }];
    for (const sessionId of ["nobody", "task_01K9ZC0000SP00R00000000000", "../x"]) {
      for (const [method, params] of [
        ["session/prompt", { prompt }],
        ["session/load", { cwd: place.cwd, mcpServers: [] }],
        ["session/resume", { cwd: place.cwd }],
        ["session/set_mode", { modeId: "ask" }],
        ["session/set_config_option", { configId: "mode", value: "ask" }],
        ["session/close", {}],
      ] as const) {
        const error = { code: -32002, data: { sessionId } };
        expect(await ask(method, { sessionId, ...params }), method).toMatchObject({ error });
      }
      // Deleting what is not there leaves what was wanted.
      expect(await ask("session/delete", { sessionId })).toMatchObject({ result: {} });
    }
    const { result } = await ask("session/new", { cwd: place.cwd, mcpServers: [], _meta: { "example/x": 1 } });
    const { sessionId } = result as { sessionId: string };
    expect(await ask("session/prompt", { sessionId })).toMatchObject({ error: { code: -32602 } });
    expect(await ask("session/prompt", { sessionId, prompt: [{ type: "hologram" }] })).toMatchObject({
      error: { code: -32602 },
    });

    // Half a line, and the rest of it later.
    send({ jsonrpc: "2.0", id: "ü", method: "session/list", params: { cwd: place.cwd } }, (line) => {
      write(line.slice(0, 30));
      write(`${line.slice(30, -1)}\r\n`);
    });
    expect(await answerTo("ü")).toMatchObject({ result: { sessions: [] } });
    expect(received).toEqual([]);

    const ended = once(child, "exit");
    child.stdin?.end('{"jsonrpc":"2.0","id":99,"meth');
    expect(await ended).toEqual([0, null]);
  });

  test("ends it by a signal or by closing, while a run goes on", async () => {
    const place = createAcpPlace();
    const { child, send, ask, received } = startRaw(place);
    await ask("initialize", { protocolVersion: 1 });
    const { result } = await ask("session/new", { cwd: place.cwd, mcpServers: [] });
    const { sessionId } = result as { sessionId: string };
    const request = { sessionId, prompt: [{ type: "text", text: "hello ask" }] };
    send({ jsonrpc: "2.0", id: "p", method: "session/prompt", params: request });
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    await expect
      .poll(() => received.some(({ method }) => method === "session/request_permission"), { timeout: 30_000 })
      .toBe(true);
    const ended = once(child, "exit");
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
    await expect.poll(() => stderr).toMatch(/run_\w+ goes on without the editor/);

    const later = startRaw(place);
    await later.ask("initialize", { protocolVersion: 1 });
    await later.ask("session/load", { sessionId, cwd: place.cwd, mcpServers: [] });
    // The session is deleted while it waits for permission: its run is cancelled.
    expect(await later.ask("session/delete", { sessionId })).toMatchObject({ result: {} });
    expect(await later.ask("session/list", {})).toMatchObject({ result: { sessions: [] } });
    const closed = once(later.child, "exit");
    later.child.stdin?.end();
    expect(await closed).toEqual([0, null]);
  });

  test("answers a request for permission with nonsense, and the user is told where else to answer", async () => {
    const place = createAcpPlace();
    const { send, ask, answerTo, received } = startRaw(place);
    await ask("initialize", { protocolVersion: 1 });
    const { result } = await ask("session/new", { cwd: place.cwd, mcpServers: [] });
    const { sessionId } = result as { sessionId: string };
    for (const nonsense of [{}, null, { outcome: { outcome: "selected", optionId: "allow_always" } }]) {
      received.length = 0;
      const request = { sessionId, prompt: [{ type: "text", text: "ask" }] };
      send({ jsonrpc: "2.0", id: "p", method: "session/prompt", params: request });
      const asked = () => received.find(({ method }) => method === "session/request_permission");
      await expect.poll(asked, { timeout: 30_000 }).toBeDefined();
      send({ jsonrpc: "2.0", id: asked()?.id, result: nonsense });
      await expect.poll(() => JSON.stringify(received), { timeout: 30_000 }).toMatch(/spoor approve appr_\w+/);
      send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
      expect(await answerTo("p")).toMatchObject({ result: { stopReason: "cancelled" } });
    }
  });

  test("ends it by a message that is too long, and is told why", async () => {
    const { child, write, ask } = startRaw(createAcpPlace());
    await ask("initialize", { protocolVersion: 1 });
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const ended = once(child, "exit");
    write("x".repeat(65 * 1024 * 1024));
    expect(await ended).toEqual([0, null]);
    await expect.poll(() => stderr).toContain("a message of more than 64 MiB");
  });

  test("ends it by reading no more, and is told which run goes on", async () => {
    const place = createAcpPlace();
    const { child, write, send, ask, received } = startRaw(place);
    await ask("initialize", { protocolVersion: 1 });
    const { result } = await ask("session/new", { cwd: place.cwd, mcpServers: [] });
    const { sessionId } = result as { sessionId: string };
    const request = { sessionId, prompt: [{ type: "text", text: "hello ask" }] };
    send({ jsonrpc: "2.0", id: "p", method: "session/prompt", params: request });
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    await expect
      .poll(() => received.some(({ method }) => method === "session/request_permission"), { timeout: 30_000 })
      .toBe(true);
    const ended = once(child, "exit");
    child.stdout?.destroy();
    const asking = setInterval(() => write('{"jsonrpc":"2.0","id":7,"method":"session/list","params":{}}\n'), 100);
    expect(await ended).toEqual([0, null]);
    clearInterval(asking);
    await expect.poll(() => stderr).toMatch(/run_\w+ goes on without the editor/);
    const later = startRaw(place);
    await later.ask("initialize", { protocolVersion: 1 });
    expect(await later.ask("session/delete", { sessionId })).toMatchObject({ result: {} });
    const closed = once(later.child, "exit");
    later.child.stdin?.end();
    await closed;
  });
});
