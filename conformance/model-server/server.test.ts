import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { Script } from "./script.ts";
import { type ModelServerOptions, startModelServer } from "./server.ts";
import { ask, CLIENTS, type Client, parseEvents, post } from "./testing/clients.ts";

const say = (text: string, deltas = 1) => ({ blocks: [{ type: "text" as const, text, deltas }] });
const chat = clientOf("chat");

function clientOf(name: string): Client {
  const client = CLIENTS.find((candidate) => candidate.name === name);
  if (client === undefined) throw new Error(`No client for ${name}.`);
  return client;
}

async function serve(script: Script, options: Partial<ModelServerOptions> = {}) {
  const server = await startModelServer({ script, ...options });
  onTestFinished(() => server.close());
  const listen = async (client = chat) =>
    client.readStream(parseEvents(await (await ask(server.url, client)).text())).text;
  return { ...server, listen };
}

test("answers are taken in the order of the script, whatever dialect asks", async () => {
  const server = await serve([say("one"), say("two"), say("three"), say("four")]);
  const heard: string[] = [];
  for (const client of CLIENTS) heard.push(await server.listen(client));
  expect(heard).toEqual(["one", "two", "three", "four"]);
});

test("a step with a predicate waits for its request, and the others pass it by", async () => {
  const server = await serve([
    { ...say("for the gemini"), when: ({ dialect }) => dialect === "gemini" },
    say("one"),
    say("two"),
  ]);
  expect(await server.listen()).toBe("one");
  expect(await server.listen(clientOf("gemini"))).toBe("for the gemini");
  expect(await server.listen(clientOf("gemini"))).toBe("two");
  expect(server.requests.map(({ step }) => step)).toEqual([1, 0, 2]);
});

test("what is said may depend on what the client was told", async () => {
  const server = await serve([{ blocks: ({ path }) => [{ type: "text", text: `asked at ${path}` }] }]);
  expect(await server.listen(clientOf("chat"))).toBe("asked at /v1/chat/completions");
});

test("a base URL may carry a prefix", async () => {
  const server = await serve([say("found")]);
  const response = await ask(`${server.url}/any/prefix`, chat);
  expect(chat.readStream(parseEvents(await response.text())).text).toBe("found");
});

test("requests are recorded with method, path and parsed body", async () => {
  const server = await serve([say("one")]);
  await server.listen(clientOf("anthropic"));
  await fetch(`${server.url}/v1/models?limit=9`);
  await fetch(`${server.url}/v1/messages`, { method: "POST", body: "no JSON" });
  expect(server.requests).toMatchObject([
    { method: "POST", path: "/v1/messages?beta=true", dialect: "anthropic", isSide: false, step: 0 },
    { method: "GET", path: "/v1/models?limit=9", body: undefined, isSide: true },
    { method: "POST", path: "/v1/messages", body: "no JSON", isSide: true },
  ]);
  expect(server.requests[0]?.body).toEqual(clientOf("anthropic").ask(true));
});

test("side requests get harmless answers and leave the script alone", async () => {
  const server = await serve([say("the answer")]);
  expect((await fetch(server.url, { method: "HEAD" })).status).toBe(200);
  expect(await (await fetch(`${server.url}/v1/models`)).json()).toMatchObject({ data: [], models: [] });
  expect(await (await post(`${server.url}/v1/messages/count_tokens`, {})).json()).toEqual({ input_tokens: 1 });
  expect(await (await post(`${server.url}/v1beta/models/m:countTokens`, {})).json()).toEqual({ totalTokens: 1 });
  for (const client of CLIENTS) {
    const title = await post(server.url + client.path(false), { ...client.ask(false), tools: [] });
    expect(client.readWhole(await title.json()).text).toBe("Fine.");
  }
  const quota = await post(`${server.url}/v1/messages`, { ...clientOf("anthropic").ask(false), max_tokens: 1 });
  expect(quota.status).toBe(200);
  expect(await server.listen()).toBe("the answer");
  expect(server.requests.filter(({ isSide }) => !isSide)).toHaveLength(1);
});

test("a predicate can claim a side request", async () => {
  const server = await serve([{ ...say("A title"), when: ({ isSide }) => isSide }]);
  const response = await post(server.url + chat.path(false), { ...chat.ask(false), tools: [] });
  expect(chat.readWhole(await response.json()).text).toBe("A title");
});

test("a side request that wants JSON gets JSON that fits", async () => {
  const server = await serve([]);
  const properties = {
    next: { type: "STRING", enum: ["user", "model"] },
    reason: { type: "STRING" },
    list: { type: "ARRAY" },
  };
  const body = { contents: [], generationConfig: { responseSchema: { type: "OBJECT", properties } } };
  const response = await post(`${server.url}/v1beta/models/m:generateContent`, body);
  const { text } = clientOf("gemini").readWhole(await response.json());
  expect(JSON.parse(text)).toEqual({ next: "user", reason: "fine", list: [] });
});

test("tools that travel in the conversation are tools", async () => {
  const server = await serve([say("code mode")]);
  const responses = clientOf("responses");
  const body = { model: "m", stream: false, input: [{ type: "additional_tools", tools: [{}] }] };
  expect(responses.readWhole(await (await post(`${server.url}/v1/responses`, body)).json()).text).toBe("code mode");
});

test.each(CLIENTS)("$name: an HTTP error has the shape of the dialect, its status and headers", async (client) => {
  const server = await serve([{ status: 429, message: "Slow down.", headers: { "retry-after": "7" } }, say("on")]);
  const response = await ask(server.url, client);
  expect(response.status).toBe(429);
  expect(response.headers.get("retry-after")).toBe("7");
  expect(client.errorMessage(await response.json())).toBe("Slow down.");
  expect(await server.listen(client)).toBe("on");
});

test.each(CLIENTS)("$name: a failure ends the stream with an error, or is one", async (client) => {
  const failing = { ...say("aabb", 2), failure: { message: "Out of room.", code: "too_long" } };
  const server = await serve([failing, failing]);
  const events = parseEvents(await (await ask(server.url, client)).text());
  expect(events.some(({ data }) => data.includes('"bb"'))).toBe(true);
  expect(events.at(-1)?.data).toMatch(/too_long.*Out of room|Out of room.*too_long/);
  expect(() => client.readStream(events)).toThrow();

  const whole = await ask(server.url, client, false);
  expect(whole.status).toBe(500);
  expect(client.errorMessage(await whole.json())).toBe("Out of room.");
});

test("an HTTP error may bring its own body, JSON or not", async () => {
  const server = await serve([
    { status: 500, body: { odd: true } },
    { status: 502, body: "<html>Bad gateway</html>", headers: { "content-type": "text/html" } },
  ]);
  expect(await (await ask(server.url, chat)).json()).toEqual({ odd: true });
  expect(await (await ask(server.url, chat)).text()).toBe("<html>Bad gateway</html>");
});

test.each(CLIENTS)("$name: what the script has nothing for is refused", async (client) => {
  const server = await serve([]);
  const response = await ask(server.url, client);
  expect(response.status).toBe(400);
  expect(client.errorMessage(await response.json())).toMatch("no answer left");
  expect(server.requests[0]).not.toHaveProperty("step");
});

test("a script the dialect cannot say is refused with the reason", async () => {
  const server = await serve([{ blocks: [{ type: "tool", name: "patch", input: "text" }] }]);
  const response = await ask(server.url, clientOf("gemini"));
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch("with an object");
});

test.each(CLIENTS)("$name: a cut stream delivers its deltas and never ends", async (client) => {
  const server = await serve([
    { ...say("aabbccdd", 4), cutAfter: 2 },
    { ...say("aabb", 2), cutAfter: 0 },
    { ...say("aabb", 2), cutAfter: 9 },
  ]);
  for (const expected of [["aa", "bb"], [], ["aa", "bb"]]) {
    const { received, error } = await readUntilCut(await ask(server.url, client));
    expect(["aa", "bb", "cc", "dd"].filter((piece) => received.includes(`"${piece}"`))).toEqual(expected);
    expect(error).toBeDefined();
    expect(() => client.readStream(parseEvents(received))).toThrow();
  }
});

test("a whole answer is cut before its body", async () => {
  const server = await serve([{ ...say("never"), cutAfter: 0 }]);
  const { received, error } = await readUntilCut(await ask(server.url, chat, false));
  expect(received).toBe("");
  expect(error).toBeDefined();
});

async function readUntilCut(response: Response): Promise<{ received: string; error?: unknown }> {
  const decoder = new TextDecoder();
  let received = "";
  try {
    for await (const chunk of response.body ?? []) received += decoder.decode(chunk, { stream: true });
  } catch (error) {
    return { received, error };
  }
  return { received };
}

test("a delayed answer sends nothing before its time, and pauses after each delta", async () => {
  const slept: number[] = [];
  const delay = Promise.withResolvers<void>();
  const sleep = (milliseconds: number) => {
    slept.push(milliseconds);
    return milliseconds === 500 ? delay.promise : Promise.resolve();
  };
  const server = await serve([{ ...say("aabbcc", 3), delayMs: 500, pauseMs: 20 }], { sleep });
  let hasAnswered = false;
  const response = ask(server.url, chat).finally(() => {
    hasAnswered = true;
  });
  await expect.poll(() => slept).toEqual([500]);
  // After another round trip it still has not arrived.
  await fetch(server.url, { method: "HEAD" });
  expect(hasAnswered).toBe(false);

  delay.resolve();
  expect(chat.readStream(parseEvents(await (await response).text())).text).toBe("aabbcc");
  expect(slept).toEqual([500, 20, 20, 20]);
});

test("deltas go out one by one, and a client that leaves ends the pause", async () => {
  const left = Promise.withResolvers<void>();
  const sleep = (_: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve());
      signal.addEventListener("abort", () => left.resolve());
    });
  const server = await serve([{ ...say("aabb", 2), pauseMs: 1 }], { sleep });
  const response = await ask(server.url, chat);
  let received = "";
  for await (const chunk of response.body ?? []) {
    received += new TextDecoder().decode(chunk);
    if (received.includes('"aa"')) break;
  }
  expect(received).not.toContain('"bb"');
  await left.promise;
});

test("closing cuts what is still open, and closing twice is fine", async () => {
  const server = await serve([{ ...say("never"), delayMs: 1_000_000 }]);
  const pending = ask(server.url, chat);
  const outcome = expect(pending).rejects.toThrow();
  await expect.poll(() => server.requests.length).toBe(1);
  await server.close();
  await outcome;
  await server.close();
});

test("who takes the server for a proxy to the world is recorded and refused", async () => {
  const server = await serve([]);
  const { hostname, port } = new URL(server.url);
  const tunnel = httpRequest({ hostname, port, method: "CONNECT", path: "example.com:443" }).end();
  const [response] = await once(tunnel, "connect");
  expect(response.statusCode).toBe(403);
  const plain = httpRequest({ hostname, port, path: "http://example.com/v1/models" }).end();
  const [refused] = await once(plain, "response");
  expect(refused.statusCode).toBe(403);
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "CONNECT example.com:443",
    "GET http://example.com/v1/models",
  ]);
});

test("an unknown path is not found", async () => {
  const server = await serve([]);
  expect((await post(`${server.url}/v1/nothing`, {})).status).toBe(404);
});
