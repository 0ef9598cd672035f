import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acolyteRoutes } from "../../../src/translators/acolyte/routes.ts";
import { serve } from "../../server/serve.ts";
import type { Fields } from "./seed-client.ts";
import { processesGone, type Served, serveAcolyte } from "./served.ts";

let served: Served;
beforeAll(async () => {
  served = await serveAcolyte();
}, 60_000);
afterAll(() => served?.remove());

const timeout = 60_000;
const ends = ({ type }: Fields) => type === "done" || type === "error";
const isText = ({ type }: Fields) => type === "text-delta";

/** Reads the events of a stream until it ends, or until one matches. */
async function read(response: Response, until: (event: Fields) => boolean = () => false): Promise<Fields[]> {
  const events: Fields[] = [];
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = (rest + chunk).split("\n\n");
    rest = frames.pop() ?? "";
    events.push(...frames.flatMap((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? []).map((data) => JSON.parse(data)));
    if (events.some(until)) break;
  }
  return events;
}

const stateOf = async (events: readonly Fields[]) =>
  ((await served.get(`/v1/runs/${events[0]?.runId}`)).data as Fields | undefined)?.status;

describe("POST /v1/chat/stream", () => {
  it("sends the events of a chat, and one reply at the end", { timeout }, async () => {
    const response = await served.post("/v1/chat/stream", served.ask("hello"));
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const events = await read(response);
    expect(events[0]).toMatchObject({
      type: "status",
      state: { kind: "accepted" },
      taskId: expect.stringMatching(/^task_/),
    });
    expect(events.filter(ends)).toMatchObject([
      { type: "done", reply: { output: "Heard hello.", outputStreamed: true } },
    ]);
    expect(events.at(-1)?.type).toBe("done");
    const again = await read(
      await fetch(`${served.url}/v1/runs/${events[0]?.runId}/events?as=acolyte`, {
        headers: { authorization: `Bearer ${served.token}` },
      }),
    );
    expect(again).toEqual(events.slice(1, -1));
  });

  it("ends with one error if the run fails or cannot start", { timeout }, async () => {
    const failing = served.ask("hello", { options: { agent_command: ["false"] } });
    const failed = await read(await served.post("/v1/chat/stream", failing));
    expect(failed.filter(ends)).toMatchObject([
      { type: "error", errorId: expect.any(String), error: { category: "run" } },
    ]);
    const refused = await read(await served.post("/v1/chat/stream", { message: "x", options: { agent: "nobody" } }));
    expect(refused.filter(ends)).toMatchObject([{ type: "error", errorCode: "E_REFUSED" }]);
  });

  it.each([
    ["no message", {}, 422],
    ["a text", "hello", 422],
  ])("refuses a body with %s before the stream begins", async (_, body, status) => {
    const response = await served.post("/v1/chat/stream", body);
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code: "invalid" } }]);
  });

  it("lets the run go on if the client hangs up, or cancels it if the request says so", { timeout }, async () => {
    const going = await read(await served.post("/v1/chat/stream", served.ask("one hang")), isText);
    const ending = served.ask("two hang", { options: { onClose: "cancel" } });
    const ended = await read(await served.post("/v1/chat/stream", ending), isText);
    await expect.poll(() => stateOf(ended), { timeout: 20_000 }).toBe("cancelled");
    expect(await stateOf(going)).toBe("running");
  });

  it("ends with an error when the server stops", { timeout }, async () => {
    const response = await served.post("/v1/chat/stream", served.ask("hang"));
    const reading = read(response);
    await served.restart();
    expect((await reading).filter(ends)).toMatchObject([{ type: "error", errorCode: "E_SHUTTING_DOWN" }]);
  });
});

it("the description of the interface has the routes and the shape of the request", async () => {
  const { paths, components } = (await served.get("/openapi.json")) as Record<string, Record<string, Fields>>;
  expect(paths?.["/v1/rpc"]).toMatchObject({ get: { operationId: "openRpc" } });
  expect(paths?.["/v1/status"]).toMatchObject({ get: { operationId: "getChatStatus" } });
  expect(paths?.["/v1/chat/stream"]).toMatchObject({ post: { operationId: "streamChat" } });
  expect(components?.schemas).toMatchObject({ ChatRequest: { properties: { message: {} } }, ChatStatus: {} });
});

it("an idle stream gets comments, so that nothing in between closes it", { timeout }, async () => {
  let directory = "";
  const { post, log, ...own } = await serve({
    heartbeat: 20,
    routes: (context) =>
      acolyteRoutes({
        ...context,
        get directory() {
          return directory;
        },
      }),
  });
  directory = own.directory;
  const ask = served.ask("hang", { options: { onClose: "cancel" } });
  const response = await post("/v1/chat/stream", ask);
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (/^: /m.test(text) && text.includes('"running"')) break;
  }
  const [, runId = ""] = /"runId":"(\w+)"/.exec(text) ?? [];
  await expect.poll(async () => (await log.run(runId))?.status, { timeout: 30_000 }).toBe("cancelled");
  await processesGone(directory);
});
