import { type AgentStateMutation, defaultApplyEvents, HttpAgent, verifyEvents } from "@ag-ui/client";
import type { Message } from "@ag-ui/core";
import { EventSchemas } from "@ag-ui/core/schemas";
import { type Envelope, viewOf } from "@spoor/protocol";
import { from, lastValueFrom, toArray } from "rxjs";
import { describe, expect, test } from "vitest";
import { envelopesOf, golden, wholeTexts, withGap } from "../../../testing/translators/golden.ts";
import { type AgUiEvent, agUiTranslator } from "./ag-ui.ts";

const accepted = (events: readonly AgUiEvent[]) =>
  lastValueFrom(verifyEvents(false)(from(events as never[])).pipe(toArray()));

test("a stream that is cut while a person is asked has ended already", () => {
  const translator = agUiTranslator();
  const events = envelopesOf("approval-approved").flatMap((envelope) => {
    const translated = translator.translate(envelope);
    return envelope.type === "approval.requested" ? [translated.at(-1), ...translator.cut()] : [];
  });
  expect(events).toMatchObject([{ type: "RUN_FINISHED", outcome: { type: "interrupt" } }]);
});

test("each run of AG-UI has the tokens of its own calls only, which add up to those of our run", () => {
  const usage = translated(envelopesOf("lifecycle-approved")).flatMap((event) => (event.usage ?? []) as Usage[]);
  expect(usage).toHaveLength(2);
  const { cost } = viewOf(envelopesOf("lifecycle-approved"));
  expect(usage.reduce((sum, { inputTokens = 0 }) => sum + inputTokens, 0)).toBe(cost.inputTokens);
  expect(usage.reduce((sum, { outputTokens = 0 }) => sum + outputTokens, 0)).toBe(cost.outputTokens);
});

test("a text of which pieces are lost comes whole with its end", async () => {
  const envelopes = envelopesOf("success");
  for (let at = 1; at < envelopes.length - 3; at += 1) {
    const torn = withGap(envelopes, at, 3);
    const texts = textsOf(await messagesOf(translated(torn)), "assistant");
    expect(texts, `lost from ${at} on`).toEqual(expect.arrayContaining(wholeTexts(torn)));
  }
});

test("an input of which pieces are lost comes whole with its call, or says that it is not whole", async () => {
  const envelopes = envelopesOf("success");
  const inputs = new Map(envelopes.flatMap(({ data }) => (data.input ? [[data.tool_call_id, data.input]] : [])));
  const seen = { whole: 0, marked: 0 };
  for (let at = 1; at < envelopes.length - 1; at += 1) {
    for (const count of [1, 2, 5]) {
      const torn = withGap(envelopes, at, count);
      const events = translated(torn);
      await accepted(events);
      const told = new Set(torn.flatMap(({ data }) => (data.input ? [data.tool_call_id] : [])));
      for (const { id, input } of inputsOf(await messagesOf(events))) {
        if (input === "") continue;
        const { _incomplete: isMarked = false, ...read } = JSON.parse(input);
        expect(isMarked && told.has(id), `lost ${count} from ${at} on`).toBe(false);
        if (!isMarked) expect(read, `lost ${count} from ${at} on`).toEqual(inputs.get(id));
        seen[isMarked ? "marked" : "whole"] += 1;
      }
    }
  }
  expect(Object.values(seen).every((count) => count > 0)).toBe(true);
});

test.each(["success", "failing-tools", "subagent-parent", "aborted"])(
  "a person who is asked anywhere in %s changes nothing of what it says and does",
  async (name) => {
    const envelopes = envelopesOf(name);
    const expected = await messagesOf(translated(envelopes));
    const end = envelopes.findIndex(({ type }) => /^run\.(finished|failed|cancelled)$/.test(type));
    for (let at = 1; at < end; at += 1) {
      for (const until of [at, Math.min(at + 3, end)]) {
        const events = translated(withApproval(envelopes, at, until));
        await accepted(events);
        expect(await messagesOf(events), `asked before ${at}`).toEqual(expected);
      }
    }
  },
);

describe.each(golden)("%s", (name) => {
  const envelopes = envelopesOf(name);

  test("every event passes the published schema, and the verifier accepts their order", async () => {
    const translator = agUiTranslator();
    const events = envelopes.flatMap((envelope) => translator.translate(envelope));
    for (const event of events) expect(EventSchemas.safeParse(event)).toMatchObject({ success: true });
    await expect(accepted(events)).resolves.toHaveLength(events.length);
  });

  test("AG-UI's own client shows the same talk, calls and approvals as our view", async () => {
    const view = viewOf(envelopes);
    const events = translated(envelopes);
    const messages = await messagesOf(events);
    expect(textsOf(messages, "user")).toEqual(view.prompts.map(({ text }) => text));
    expect(textsOf(messages, "assistant")).toEqual(view.messages.map(({ text }) => text));
    expect(textsOf(messages, "reasoning")).toEqual(view.thoughts.map(({ text }) => text));
    expect(callsOf(messages)).toEqual(view.tools.map(({ id, name }) => ({ id, name })));
    const results = messages.flatMap((message) => (message.role === "tool" ? message.toolCallId : []));
    expect(results).toEqual(view.tools.filter(({ endedAt }) => endedAt).map(({ id }) => id));
    const asked = events.flatMap(({ outcome }) => (outcome as { interrupts?: { id: string }[] })?.interrupts ?? []);
    const answered = events.filter(({ name }) => name === "approval.resolved").map(({ value }) => value as Approval);
    const approvals = [...asked.map(({ id }) => id), ...answered.map(({ approval_id }) => approval_id)];
    const expected = [...view.approvals, ...view.questions].map(({ id }) => id);
    expect([...new Set(approvals)].toSorted()).toEqual(expected.toSorted());
  });

  test("a stream that goes on anywhere is whole by itself, and adds up to the same messages", async () => {
    const all = agUiTranslator();
    const expected = await messagesOf(envelopes.flatMap((envelope) => all.translate(envelope)));
    for (let length = 1; length < envelopes.length; length += 1) {
      const translator = agUiTranslator();
      const earlier = envelopes.slice(0, length).flatMap((envelope) => translator.translate(envelope));
      const opening = translator.reopen?.() ?? [];
      const later = [...opening, ...envelopes.slice(length).flatMap((envelope) => translator.translate(envelope))];
      for (const event of opening) expect(EventSchemas.safeParse(event)).toMatchObject({ success: true });
      await accepted(later);
      expect(await messagesOf(later, await messagesOf(earlier)), `cut after ${length}`).toEqual(expected);
    }
  });

  test("a stream that is cut anywhere ends well", async () => {
    for (let length = 1; length <= envelopes.length; length += 1) {
      const translator = agUiTranslator();
      const events = envelopes.slice(0, length).flatMap((envelope) => translator.translate(envelope));
      await accepted([...events, ...translator.cut()]);
    }
  });
});

interface Usage {
  inputTokens?: number;
  outputTokens?: number;
}

interface Approval {
  approval_id: string;
}

function translated(envelopes: readonly Envelope[]): AgUiEvent[] {
  const { translate } = agUiTranslator();
  return envelopes.flatMap((envelope) => translate(envelope));
}

const textsOf = (messages: readonly Message[], role: Message["role"]) =>
  messages.flatMap((message) => (message.role === role && message.content ? message.content : []));

const callsOf = (messages: readonly Message[]) =>
  messages
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .map(({ id, function: { name } }) => ({ id, name }));

const inputsOf = (messages: readonly Message[]) =>
  messages
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .map(({ id, function: { arguments: input } }) => ({ id, input }));

/** Lets the run ask before the event at `at`, and the answer come before the one at `until`. */
function withApproval(envelopes: readonly Envelope[], at: number, until: number): Envelope[] {
  return envelopes.flatMap((envelope, index) => {
    const ask = { ...envelope, type: "approval.requested", data: { approval_id: "appr_more" } };
    const answer = { ...ask, type: "approval.resolved", data: { ...ask.data, decision: "approved" } };
    return [...(index === at ? [ask] : []), ...(index === until ? [answer] : []), envelope];
  });
}

/** The messages that AG-UI's own client holds after these events, if it had some before. */
async function messagesOf(events: readonly AgUiEvent[], messages: readonly Message[] = []): Promise<Message[]> {
  if (events.length === 0) return [...messages];
  const agent = new HttpAgent({ url: "http://127.0.0.1", initialMessages: [...messages] });
  const input = { threadId: "t", runId: "r", state: {}, tools: [], context: [], forwardedProps: {} };
  const mutations: AgentStateMutation[] = await lastValueFrom(
    defaultApplyEvents({ ...input, messages: [...messages] }, from(events as never[]), agent, []).pipe(toArray()),
  );
  return mutations.findLast((mutation) => mutation.messages)?.messages ?? [...messages];
}
