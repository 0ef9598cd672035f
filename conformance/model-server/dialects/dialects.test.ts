import { expect, onTestFinished, test } from "vitest";
import type { Answer, DialectName, Script, Stop } from "../script.ts";
import { startModelServer } from "../server.ts";
import { ask, CLIENTS, parseEvents } from "../testing/clients.ts";
import { pieces } from "./dialect.ts";

const whole: Answer = {
  blocks: [
    { type: "thinking", text: "Let me see.", deltas: 3 },
    { type: "text", text: "I run it é 漢字 🚀.", deltas: 5 },
    { type: "tool", name: "run", input: { command: "ls", deep: { list: [1, "🚀"] } }, id: "mine", deltas: 4 },
    { type: "tool", name: "run", input: {}, id: "other" },
  ],
  usage: { input: 70, output: 30, cacheRead: 20, cacheWrite: 5, thinking: 3 },
};

async function serve(script: Script): Promise<string> {
  const server = await startModelServer({ script });
  onTestFinished(() => server.close());
  return server.url;
}

test.each(CLIENTS)("$name: a client understands the same, streamed or whole", async (client) => {
  const url = await serve([whole, whole]);
  const streamed = client.readStream(parseEvents(await (await ask(url, client, true)).text()));
  const unstreamed = client.readWhole(await (await ask(url, client, false)).json());

  expect(streamed).toEqual({
    text: "I run it é 漢字 🚀.",
    thinking: "Let me see.",
    calls: [
      { name: "run", input: { command: "ls", deep: { list: [1, "🚀"] } }, id: "mine" },
      { name: "run", input: {}, id: "other" },
    ],
    stop: STOPS.tool[client.name],
    usage: { input: 70, output: 30, cacheRead: 20 },
  });
  expect(unstreamed).toEqual(streamed);
});

const STOPS: Record<Stop, Record<DialectName, string>> = {
  end: { anthropic: "end_turn", responses: "completed", chat: "stop", gemini: "STOP" },
  tool: { anthropic: "tool_use", responses: "completed", chat: "tool_calls", gemini: "STOP" },
  length: { anthropic: "max_tokens", responses: "max_output_tokens", chat: "length", gemini: "MAX_TOKENS" },
  refused: { anthropic: "refusal", responses: "content_filter", chat: "content_filter", gemini: "SAFETY" },
};

test.each(CLIENTS)("$name: a client is told why the answer stops", async (client) => {
  const stops = Object.keys(STOPS) as Stop[];
  const url = await serve(stops.map((stop) => ({ blocks: [{ type: "text", text: "So." }], stop })));
  for (const stop of stops) {
    expect(client.readStream(parseEvents(await (await ask(url, client)).text())).stop).toBe(STOPS[stop][client.name]);
  }
});

test.each(CLIENTS)("$name: a stream has as many deltas as the script says", async (client) => {
  const text = "abcdefghijkl";
  const url = await serve([{ blocks: [{ type: "text", text, deltas: 4 }] }]);
  const stream = await (await ask(url, client)).text();
  expect(["abc", "def", "ghi", "jkl"].filter((piece) => stream.includes(`"${piece}"`))).toHaveLength(4);
});

test.each(CLIENTS)("$name: a client can tell calls apart that the script gave no id", async (client) => {
  const call = { type: "tool", name: "run", input: {} } as const;
  const url = await serve([{ blocks: [call, call] }, { blocks: [call] }]);
  const ids: unknown[] = [];
  for (let turn = 0; turn < 2; turn++) {
    const { calls } = client.readStream(parseEvents(await (await ask(url, client)).text()));
    ids.push(...calls.map(({ id }) => id));
  }
  if (client.name === "gemini") expect(ids).toEqual([undefined, undefined, undefined]);
  else expect(new Set(ids).size).toBe(3);
});

test("a string is a freeform call in Responses, and arguments as they stand in Anthropic Messages", async () => {
  const url = await serve(
    Array(2).fill({ blocks: [{ type: "tool", name: "patch", input: "*** {broken", deltas: 3 }] }),
  );
  for (const client of CLIENTS.filter(({ name }) => name === "responses" || name === "anthropic")) {
    const { calls } = client.readStream(parseEvents(await (await ask(url, client)).text()));
    expect(calls).toEqual([{ name: "patch", input: "*** {broken", id: expect.any(String) }]);
  }
});

test("pieces are nearly equal, never split a character, and join to the text", () => {
  expect(pieces("a🚀b漢c", 2)).toEqual(["a🚀b", "漢c"]);
  expect(pieces("ab", 9)).toEqual(["a", "b"]);
  expect(pieces("")).toEqual([""]);
  expect(pieces("abc", 0)).toEqual(["abc"]);
});
