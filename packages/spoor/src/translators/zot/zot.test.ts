import { type Envelope, isTerminalRunType } from "@spoor/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
// biome-ignore lint/style/noRestrictedImports: the simulated agent is for tests and no part of the published package.
import { validStream } from "../../../../protocol/testing/arbitrary.ts";
// biome-ignore lint/style/noRestrictedImports: writes envelopes for tests and is no part of the published package.
import { recorded } from "../../../../protocol/testing/record.ts";
import { linesOf } from "../../../testing/run/recorded.ts";
import { eventsOf, eventsOfLines, recordingsOf } from "../../../testing/run/recordings.ts";
import { envelopesOf, golden } from "../../../testing/translators/golden.ts";
import { expectOrderOfZot } from "../../../testing/zot/client.ts";
import type { Adapter } from "../../agents/machine.ts";
import { adapters } from "../../agents/registry.ts";
import { zot } from "../../agents/zot/index.ts";
import { asText } from "../translator.ts";
import { type ZotEvent, zotTranslator } from "./zot.ts";

const translated = (envelopes: readonly Envelope[]): ZotEvent[] => {
  const { translate } = zotTranslator();
  return envelopes.flatMap(translate);
};

describe("the translation into zot's lines", () => {
  it.each(golden)("of %s means the same when our own adapter of zot reads it", async (name) => {
    const envelopes = envelopesOf(name);
    const lines = translated(envelopes).map((event) => JSON.stringify(event));
    const back = recorded(await eventsOfLines(zot, lines));
    expect(meaningOf(back)).toEqual(meaningOf(envelopes));
  });

  it.each(golden)("of %s keeps the order of zot, wherever it is cut", (name) => {
    const envelopes = envelopesOf(name);
    for (let length = 1; length <= envelopes.length; length += 1) {
      const { translate, cut } = zotTranslator();
      expectOrderOfZot([...envelopes.slice(0, length).flatMap(translate), ...cut()]);
    }
  });

  it.each(recordingsOf("zot"))("gives the lines of %s back", async (recording) => {
    const lines = linesOf(recording)
      .map((line) => JSON.parse(line))
      .flatMap((line) => (line.dir === undefined ? [line] : line.dir === "out" ? [line.msg] : []));
    for (const prompt of promptsIn(lines)) {
      const events = await eventsOfLines(
        zot,
        prompt.map((line) => JSON.stringify(line)),
      );
      expect(lineUp(translated(recorded(events, { facts: promptOf(prompt) })), prompt)).toEqual(lineUp(prompt, prompt));
    }
  });

  it.each(adapters.map(({ name }) => name))(
    "of every recorded run of %s means the same when it is read back",
    async (name) => {
      const adapter = adapters.find((each) => each.name === name) as Adapter;
      for (const recording of recordingsOf(name)) {
        const runs = Map.groupBy(await eventsOf(adapter, recording), ({ runId }) => runId);
        for (const events of runs.values()) {
          const envelopes = recorded(events);
          const lines = translated(envelopes);
          expectOrderOfZot(lines);
          const back = recorded(
            await eventsOfLines(
              zot,
              lines.map((line) => JSON.stringify(line)),
            ),
          );
          const order = goesOn.has(recording) ? byText : asItIs;
          expect(order(meaningOf(back)), recording).toEqual(order(meaningOf(envelopes)));
        }
      }
    },
  );

  it("of any run keeps the order of zot, wherever it is cut, and loses no text, call or result", () => {
    fc.assert(
      fc.property(validStream(100), fc.nat(), (events, seed) => {
        const envelopes = recorded(events);
        const lines = translated(envelopes);
        expectOrderOfZot(lines);
        const partsOf = (types: RegExp) => lines.filter(({ type }) => types.test(type));
        const texts = envelopes.filter(({ type }) => type === "assistant.text_complete").map(({ data }) => data.text);
        expect(
          partsOf(/^text_delta$/)
            .map(({ delta }) => delta)
            .join(""),
        ).toBe(texts.join(""));
        for (const [type, line] of [
          ["assistant.tool_call_proposed", /^tool_call$/],
          ["tool.shell.output_chunk", /^tool_progress$/],
        ] as const) {
          const ids = envelopes
            .filter((each) => each.type === type && each.data.data !== "")
            .map(({ data }) => data.tool_call_id);
          expect(
            partsOf(line)
              .map(({ id }) => id)
              .sort(),
          ).toEqual(ids.filter((id) => id !== undefined).sort());
        }
        const { translate, cut } = zotTranslator();
        expectOrderOfZot([...envelopes.slice(0, 1 + (seed % envelopes.length)).flatMap(translate), ...cut()]);
      }),
      { numRuns: 150 },
    );
  });

  it("holds back what the model says while a tool of its last message runs, and nothing else", () => {
    const { translate } = zotTranslator();
    const [first] = envelopesOf("success");
    const types = (type: string, data: Record<string, unknown>) =>
      translate({ ...(first as Envelope), type, data }).map((event) => [
        event.type,
        event.id ?? event.delta ?? event.step,
      ]);
    const call = (id: string) => ({ turn_index: 1, tool_call_id: id, tool_name: "bash", input: {} });
    types("turn.started", { turn_index: 1 });
    types("assistant.tool_call_proposed", call("a"));
    expect(types("tool.shell.output_chunk", { tool_call_id: "a", data: "1" }).at(-1)).toEqual(["tool_progress", "a"]);
    expect(types("assistant.text_delta", { turn_index: 1, block_index: 0, delta: "Meanwhile" })).toEqual([]);
    expect(types("assistant.tool_call_proposed", call("b"))).toEqual([]);
    expect(types("tool.shell.output_chunk", { tool_call_id: "b", data: "x" })).toEqual([]);
    expect(types("tool.shell.output_chunk", { tool_call_id: "a", data: "2" })).toEqual([["tool_progress", "a"]]);
    expect(types("tool.completed", { tool_call_id: "a", output: "12" }).map(([type]) => type)).toEqual([
      ...["tool_result", "turn_start", "assistant_start", "text_delta", "tool_use_start", "tool_use_args"],
      ...["tool_use_end", "assistant_message", "tool_call", "turn_end", "tool_progress"],
    ]);
    expect(types("run.cancelled", {}).map(([type]) => type)).toEqual(["tool_result", "turn_end", "done"]);
    expect(types("tool.completed", { tool_call_id: "b", output: "late" })).toEqual([]);
  });

  it("tells a failure of the provider once if nobody tries again, and as a notice if somebody does", () => {
    const [first] = envelopesOf("success");
    const told = (retriable: boolean, attempt: number) => {
      const failure = { provider: "p", message: "401", retriable, attempt, max_attempts: 5 };
      const run: [string, Envelope["data"]][] = [
        ["user.message", { turn_index: 0, text: "hello" }],
        ["turn.started", { turn_index: 1 }],
        ["error.upstream", failure],
        ["turn.failed", { turn_index: 1, message: "401" }],
        ["turn.completed", { turn_index: 1 }],
        ["run.failed", { message: "401" }],
      ];
      return translated(run.map(([type, data]) => ({ ...(first as Envelope), type, data }))).map(({ type }) => type);
    };
    expect(told(false, 1)).toEqual(["user_message", "turn_start", "turn_end", "error", "done"]);
    expect(told(true, 5)).not.toContain("ext_notify");
    expect(told(true, 1)).toContain("ext_notify");
  });

  it("ends the turn before a tool runs when the answer of the model is known to be whole", () => {
    const { translate } = zotTranslator();
    const at = (type: string) => envelopesOf("lifecycle-approved").findIndex((envelope) => envelope.type === type);
    const before = envelopesOf("lifecycle-approved").slice(0, at("tool.started")).flatMap(translate);
    expect(before.map(({ type }) => type)).toContain("turn_end");
  });
});

/**
 * What zot can say of a run: texts, calls and results in their order, the totals of tokens and cost, and the end. It cannot say
 * where a text of several blocks is divided, why a run was cancelled, what was thought, which files changed, or who was asked.
 */
function meaningOf(envelopes: readonly Envelope[]) {
  const said: Record<string, unknown>[] = [];
  let total: unknown;
  // Agents that report no totals report the tokens of each call.
  const tokens: [number, number] = [0, 0];
  for (const { type, data } of envelopes) {
    const { tool_call_id: id, tool_name: name } = data;
    const known = said.find(({ call }) => call === id);
    const last = said.at(-1);
    if (type === "assistant.text_delta" && last?.text !== undefined) last.text += asText(data.delta);
    else if (type === "assistant.text_delta") said.push({ text: data.delta });
    else if (type === "assistant.tool_call_proposed") said.push({ call: id, name, input: data.input });
    // The step of a task was proposed by nobody.
    else if (type === "tool.invoked" && !known) said.push({ call: id, name, isStep: true });
    else if (type === "tool.shell.command" && known?.isStep) {
      delete known.isStep;
      known.input = { command: data.command_string };
    } else if (type === "tool.completed" && data.result !== "tool_error")
      said.push({ result: id, output: wordsOf(data.output) });
    else if (ends.test(type)) said.push({ failed: id, error: data.error ?? data.reason });
    else if (type === "cost.tick")
      total = [data.cumulative_input_tokens, data.cumulative_output_tokens, data.cumulative_cost_micros_usd];
    else if (type === "cost.token_usage") {
      tokens[0] += Number(data.input_tokens);
      tokens[1] += Number(data.output_tokens);
    }
  }
  const end = envelopes.find(({ type }) => isTerminalRunType(type));
  // Our adapter knows that the context is full, and not by how much.
  const message = (end?.data.message as string | undefined)?.replace(/: \d+ of \d+ tokens/, "");
  return { said: textsFirst(said), total: total ?? [...tokens, 0], end: end?.type, message };
}

type Meaning = ReturnType<typeof meaningOf>;

/** Recordings in which the model goes on while a tool of its last message prints. What it says then waits for the result. */
const goesOn = new Set(["codex/0.166.0/d3-shell-background-session.app-server.jsonl"]);
const asItIs = (meaning: Meaning): Meaning => meaning;
const byText = ({ said, ...meaning }: Meaning): Meaning => {
  return { ...meaning, said: said.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) };
};

/** Lists the texts of a message before its calls, because zot's calls are known when the message is whole. */
function textsFirst(said: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const messages: { texts: string; others: Record<string, unknown>[] }[] = [{ texts: "", others: [] }];
  for (const part of said) {
    let message = messages.at(-1) as (typeof messages)[number];
    const isOfNext = part.result === undefined && part.failed === undefined && message.others.some(({ call }) => !call);
    if (isOfNext) message = messages[messages.push({ texts: "", others: [] }) - 1] as typeof message;
    if (part.text === undefined) message.others.push(part);
    else message.texts += String(part.text);
  }
  return messages.flatMap(({ texts, others }) => [...(texts === "" ? [] : [{ text: texts }]), ...others]);
}

const ends = /^tool\.(completed|failed|cancelled|timed_out)$|^policy\.tool_blocked$/;

const wordsOf = (output: unknown): string =>
  Array.isArray(output) && output.every(({ type }) => type === "text")
    ? output.map(({ text }) => text).join("\n")
    : asText(output);

/** A process of zot takes several prompts. A run of ours is one prompt. */
function promptsIn(lines: readonly ZotEvent[]): ZotEvent[][] {
  const ends = lines.flatMap(({ type }, index) => (type === "done" ? [index + 1] : []));
  return ends.map((end, index) => lines.slice(ends[index - 1] ?? 0, end));
}

/** The prompt is not among the events of an agent. The runtime records it. */
function promptOf(lines: readonly ZotEvent[]) {
  const { content } = lines.find(({ type }) => type === "user_message") as unknown as {
    content: Record<string, unknown>[];
  };
  return content.map(({ text, mime_type: mime, bytes: size_bytes }) => ({
    after: 0,
    type: text === undefined ? "user.attachment" : "user.message",
    data: { turn_index: 0, ...(text === undefined ? { kind: "image", mime, size_bytes } : { text }) },
  }));
}

/**
 * Lines without what may differ: responses answer commands; extensions are not ours; times are ours; `usage` may come anywhere
 * in its turn; a compaction between two prompts belongs to the later one; and composed recordings lack lines that zot prints
 * about a call.
 */
function lineUp(events: readonly ZotEvent[], recording: readonly ZotEvent[]): ZotEvent[] {
  const keys = new Set(recording.map(keyOf));
  const kept = events.filter((event) => keys.has(keyOf(event)) && !/^(response|ext_)/.test(event.type));
  const place = ({ type }: ZotEvent, index: number): number => {
    if (type === "user_message") return -1;
    return type === "usage" ? kept.findIndex((other, at) => at > index && other.type === "turn_end") - 0.5 : index;
  };
  return kept
    .map((event, index) => ({ event, at: place(event, index) }))
    .sort((a, b) => a.at - b.at)
    .map(({ event: { time: _, ...event } }) => event as ZotEvent);
}

const keyOf = ({ type, id, content }: ZotEvent): string =>
  type === "assistant_message"
    ? JSON.stringify((content as { text?: string }[]).map(({ text }) => text))
    : `${type} ${id}`;
