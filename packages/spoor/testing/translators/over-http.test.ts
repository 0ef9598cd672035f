import {
  type AgentStateMutation,
  type BaseEvent,
  defaultApplyEvents,
  HttpAgent,
  runHttpRequest,
  transformHttpEventStream,
  verifyEvents,
} from "@ag-ui/client";
import type { Message } from "@ag-ui/core";
import { type Envelope, viewOf } from "@spoor/protocol";
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { lastValueFrom, type Observable, toArray } from "rxjs";
import { describe, expect, it } from "vitest";
import { streamLanguages } from "../../src/translators/stream-languages.ts";
import { draft, type Served, serve, startRun, TOKEN } from "../server/serve.ts";
import { connect, refused } from "../server/test-websocket.ts";
import { envelopesOf } from "./golden.ts";

const serveLanguages = () => serve({ languages: streamLanguages });

/** Stores the events of a golden stream in a run, up to `length` of them. */
async function store({ log }: Served, name: string, length?: number) {
  const run = await startRun(log, 1);
  const [, ...rest] = envelopesOf(name).slice(0, length);
  const drafts = rest.map(({ type, data }: Envelope) => draft(type, data));
  const { finish, run_id, add } = run;
  await add(...drafts.filter(({ type }) => type !== "run.finished"));
  return { run_id, add, finish };
}

const agUi = ({ get }: Served, run_id: string, headers = {}): Observable<BaseEvent> =>
  transformHttpEventStream(runHttpRequest(() => get(`/v1/runs/${run_id}/events?as=ag-ui`, headers)));

describe("a run as AG-UI", () => {
  it("is read by AG-UI's own client to the same texts and calls as by our view", async () => {
    const served = await serveLanguages();
    const run = await store(served, "approval-approved");
    await run.finish();
    const events = agUi(served, run.run_id).pipe(verifyEvents(false));
    const input = { threadId: "t", runId: "r", state: {}, messages: [], tools: [], context: [], forwardedProps: {} };
    const agent = new HttpAgent({ url: served.server.url });
    const mutations: AgentStateMutation[] = await lastValueFrom(
      defaultApplyEvents(input, events, agent, []).pipe(toArray()),
    );
    const messages: Message[] = mutations.findLast((mutation) => mutation.messages)?.messages ?? [];
    const view = viewOf(envelopesOf("approval-approved"));
    const said = messages.filter(({ role, content }) => role === "assistant" && content).map(({ content }) => content);
    expect(said).toEqual(view.messages.map(({ text }) => text));
    const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
    expect(calls.map(({ id }) => id)).toEqual(view.tools.map(({ id }) => id));
  });

  it("goes on after the last event that the reader has", async () => {
    const served = await serveLanguages();
    const run = await store(served, "success");
    await run.finish();
    const frames = async (headers = {}) => {
      const response = await served.get(`/v1/runs/${run.run_id}/events?as=ag-ui`, headers);
      return (await response.text()).split("\n\n").filter((frame) => frame.includes("data: "));
    };
    const all = await frames();
    const cut = all.findIndex((frame) => frame.startsWith("id: 5\n"));
    const later = await frames({ "last-event-id": "5" });
    const rest = all.slice(cut + 1);
    expect(later.slice(-rest.length)).toEqual(rest);
    // What is open there is opened again, and only that.
    expect(later.slice(0, -rest.length).join()).toMatch(/^data: \{"type":"RUN_STARTED"/);
    expect(later.length - rest.length).toBeLessThan(5);
  });

  it("is accepted by the verifier wherever the reader goes on", async () => {
    const served = await serveLanguages();
    const run = await store(served, "approval-approved");
    const { last_sequence: last } = await run.finish();
    for (let after = 0; after < last; after += 1) {
      const events = agUi(served, run.run_id, { "last-event-id": String(after) }).pipe(verifyEvents(false), toArray());
      expect((await lastValueFrom(events)).at(0)?.type, `after ${after}`).toMatch(/^RUN_/);
    }
  });

  it("opens again at once for a reader that has everything of a run that goes on", async () => {
    const served = await serveLanguages();
    const run = await store(served, "success", 8);
    const response = await served.get(`/v1/runs/${run.run_id}/events?as=ag-ui`, { "last-event-id": "7" });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("RUN_STARTED")) text += (await reader?.read())?.value ?? "";
    await reader?.cancel();
  });

  it("goes on at the end for a reader that claims to have more than there is", async () => {
    const served = await serveLanguages();
    const run = await store(served, "success", 8);
    const ahead = { "last-event-id": "5000" };
    const response = await served.get(`/v1/runs/${run.run_id}/events?as=ag-ui`, ahead);
    await run.finish();
    const events = transformHttpEventStream(runHttpRequest(async () => response)).pipe(verifyEvents(false), toArray());
    const types = (await lastValueFrom(events)).map(({ type }) => type);
    expect([types.at(0), types.at(-1)]).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
    expect((await served.get(`/v1/runs/${run.run_id}/events?as=ag-ui`, ahead)).status).toBe(204);
  });

  it.each(["block", "turn"])("has whole texts instead of their pieces with granularity %s", async (granularity) => {
    const served = await serveLanguages();
    const run = await store(served, "approval-approved");
    await run.finish();
    const target = `/v1/runs/${run.run_id}/events?as=ag-ui&granularity=${granularity}`;
    const stream = transformHttpEventStream(runHttpRequest(() => served.get(target))).pipe(
      verifyEvents(false),
      toArray(),
    );
    const events = (await lastValueFrom(stream)) as (BaseEvent & { delta?: string })[];
    const texts = events.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT").map(({ delta }) => delta);
    const { prompts, messages } = viewOf(envelopesOf("approval-approved"));
    expect(texts).toEqual([...prompts, ...messages].map(({ text }) => text));
    expect(events.some(({ type }) => type === "TOOL_CALL_START")).toBe(granularity === "block");
  });

  it("is refused for chosen types, since it would seem to break off", async () => {
    const served = await serveLanguages();
    const run = await store(served, "success");
    const response = await served.get(`/v1/runs/${run.run_id}/events?as=ag-ui&event_type=tool.*`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: "invalid_parameter", message: expect.stringContaining("as and event_type contradict each other") },
    });
  });

  it("ends well when the server stops in the middle of a run", async () => {
    const served = await serveLanguages();
    const run = await store(served, "success", 8);
    const ended = lastValueFrom(agUi(served, run.run_id).pipe(verifyEvents(false), toArray()));
    await served.get(`/v1/runs/${run.run_id}`);
    await expect.poll(async () => (await served.get("/healthz")).status).toBe(200);
    await served.server.close(1_000);
    expect((await ended).at(-1)).toMatchObject({ type: "RUN_ERROR", code: "stream_cut" });
  });
});

describe("a run as UI messages of the AI SDK", () => {
  it("is read by the SDK's own transport to the same texts, calls and approvals as by our view", async () => {
    const served = await serveLanguages();
    const run = await store(served, "approval-rejected");
    await run.finish();
    const transport = new DefaultChatTransport<UIMessage>({
      headers: { authorization: `Bearer ${TOKEN}` },
      prepareReconnectToStreamRequest: ({ id }) => ({ api: `${served.server.url}/v1/runs/${id}/events?as=ai-sdk` }),
    });
    const stream = await transport.reconnectToStream({ chatId: run.run_id });
    const { parts } = await lastMessage(stream);
    const view = viewOf(envelopesOf("approval-rejected"));
    expect(parts.filter(({ type }) => type === "text").map((part) => "text" in part && part.text)).toEqual(
      view.messages.map(({ text }) => text),
    );
    const asked = parts.flatMap((part) => (part.type === "dynamic-tool" && part.approval ? [part.approval] : []));
    expect(asked).toMatchObject(view.approvals.map(({ id }) => ({ id, approved: false })));
  });

  it("has the header and the end mark of the stream", async () => {
    const served = await serveLanguages();
    const run = await store(served, "success");
    await run.finish();
    const response = await served.get(`/v1/runs/${run.run_id}/events?as=ai-sdk`);
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    expect(await response.text()).toMatch(/data: \[DONE\]\n\n$/);
  });

  it("is sent whole to a reader that comes back, because a message cannot be opened in the middle", async () => {
    const served = await serveLanguages();
    const run = await store(served, "success");
    const { last_sequence: last } = await run.finish();
    const whole = await (await served.get(`/v1/runs/${run.run_id}/events?as=ai-sdk`)).text();
    for (let after = 0; after < last; after += 1) {
      const response = await served.get(`/v1/runs/${run.run_id}/events?as=ai-sdk`, { "last-event-id": String(after) });
      expect(await response.text()).toBe(whole);
    }
  });

  it("answers 204 to a reader that has everything", async () => {
    const served = await serveLanguages();
    const run = await store(served, "success");
    const { last_sequence: last } = await run.finish();
    const response = await served.get(`/v1/runs/${run.run_id}/events?as=ai-sdk&after_sequence=${last}`);
    expect(response.status).toBe(204);
  });
});

describe("a run as events of Acolyte", () => {
  it("goes on after the last event that the reader has, and sends nothing twice", async () => {
    const served = await serveLanguages();
    const run = await store(served, "approval-approved");
    const { last_sequence: last } = await run.finish();
    const read = (after?: number) =>
      served.get(
        `/v1/runs/${run.run_id}/events?as=acolyte`,
        after === undefined ? {} : { "last-event-id": `${after}` },
      );
    const framesOf = async (response: Response) => (await response.text()).split("\n\n").filter((frame) => frame);
    const all = (await framesOf(await read())).filter((frame) => frame.includes("data: "));
    expect(all.join()).toContain("text-delta");
    for (let after = 0; after < last; after += 1) {
      const had = all.findLastIndex((frame) => Number(/^id: (\d+)$/m.exec(frame)?.[1] ?? Infinity) <= after) + 1;
      const later = (await framesOf(await read(after))).filter((frame) => frame.includes("data: "));
      expect(later, `after ${after}`).toEqual(all.slice(had));
    }
    expect((await read(last)).status).toBe(204);
  });
});

describe.each(streamLanguages.map(({ name }) => name))("a browser that reads a run as %s", (name) => {
  it.each(["delta", "block", "turn"])("stops when the run is over, with granularity %s", async (granularity) => {
    const served = await serveLanguages();
    const run = await store(served, "success");
    await run.finish();
    await run.add("acme.done");
    const target = `/v1/runs/${run.run_id}/events?as=${name}&granularity=${granularity}`;
    const text = await (await served.get(target)).text();
    const id = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? "";
    expect((await served.get(target, { "last-event-id": id })).status).toBe(204);
  });
});

describe("a request for a language", () => {
  it("is refused where nothing is translated, with the place and the names of languages", async () => {
    const served = await serveLanguages();
    const { run_id } = await store(served, "success");
    const { task_id } = (await served.log.run(run_id)) ?? {};
    const targets = [
      ...["/v1/events", "/v1/events/stream", "/hecate/v1/events", "/v1/runs", `/v1/runs/${run_id}`, "/v1/ws"],
      ...[`/v1/runs/${run_id}/stream`, `/v1/tasks/${task_id}/runs/${run_id}/stream`, "/v1/approvals", "/v1/usage"],
    ];
    for (const target of targets) {
      for (const name of ["ag-ui", "klingon", ""]) {
        const response = await served.get(`${target}?as=${name}`);
        expect([target, response.status]).toEqual([target, 400]);
        const { error } = (await response.json()) as Refusal;
        expect(error.code).toBe("invalid_parameter");
        expect(error.message).toMatch(/GET \/v1\/runs\/\{run_id\}\/events.+one of ag-ui, ai-sdk, acolyte\.$/);
      }
    }
  });

  it("is refused in a subscription over a WebSocket, and when one is opened", async () => {
    const served = await serveLanguages();
    const { run_id } = await store(served, "success");
    const client = await connect(served.server.url);
    client.send({ type: "subscribe", id: "one", run_id, as: "ag-ui" });
    expect(await client.until(({ type }) => type !== "pong")).toMatchObject({
      type: "error",
      id: "one",
      error: { code: "invalid_body", message: expect.stringContaining("one of ag-ui, ai-sdk, acolyte") },
    });
    client.socket.terminate();
    expect(await refused(served.server.url, [`bearer.${TOKEN}`], {}, "/v1/ws?as=ag-ui")).toBe(400);
  });

  it("is refused for a list and for NDJSON, because a translation is a stream", async () => {
    const served = await serveLanguages();
    const run = await store(served, "success");
    await run.finish();
    const status = async (accept: string) =>
      (await served.get(`/v1/runs/${run.run_id}/events?as=ag-ui`, { accept })).status;
    for (const accept of ["application/json", "application/x-ndjson"]) expect(await status(accept)).toBe(400);
    for (const accept of ["*/*", "text/event-stream", "application/json, text/*;q=0.1"]) {
      expect([accept, await status(accept)]).toEqual([accept, 200]);
    }
  });

  it("names the languages when it asks for another, none, or two at once", async () => {
    const served = await serveLanguages();
    const run = await store(served, "success");
    const refusal = async (query: string) => {
      const response = await served.get(`/v1/runs/${run.run_id}/events?${query}`);
      return `${response.status} ${((await response.json()) as Refusal).error.message}`;
    };
    for (const name of ["klingon", "", "AG-UI", "__proto__"])
      expect(await refusal(`as=${name}`)).toBe("400 as must be one of ag-ui, ai-sdk, acolyte.");
    expect(await refusal("as=ag-ui&as=ai-sdk")).toBe("400 as is given more than once.");
  });

  it("is refused by a server without other languages", async () => {
    const served = await serve();
    const run = await store(served, "success");
    for (const target of [`/v1/runs/${run.run_id}/events`, "/v1/events"]) {
      const response = await served.get(`${target}?as=ag-ui`);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain("this server has no other languages");
    }
  });
});

interface Refusal {
  error: { code: string; message: string };
}

async function lastMessage(stream: ReadableStream<UIMessageChunk> | null): Promise<UIMessage> {
  if (!stream) throw new Error("The server answered that nothing is active.");
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  if (!last) throw new Error("The stream holds no message.");
  return last;
}
