import { viewOf } from "@spoor/protocol";
import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from "ai";
import { describe, expect, test } from "vitest";
import { envelopesOf, golden, wholeTexts, withGap } from "../../../testing/translators/golden.ts";
import { type AiSdkChunk, aiSdkTranslator } from "./ai-sdk.ts";

describe.each(golden)("%s", (name) => {
  const envelopes = envelopesOf(name);

  test("every chunk passes the schema of the AI SDK, and the message says the same as our view", async () => {
    const translator = aiSdkTranslator();
    const chunks = envelopes.flatMap((envelope) => translator.translate(envelope));
    const validate = uiMessageChunkSchema().validate;
    for (const chunk of chunks)
      expect(await validate?.(plain(chunk)), JSON.stringify(chunk)).toMatchObject({ success: true });
    const { parts } = await folded(chunks);
    const view = viewOf(envelopes);
    expect(parts.filter((part) => part.type === "text").map((part) => part.text)).toEqual(
      view.messages.map(({ text }) => text),
    );
    expect(parts.filter((part) => part.type === "reasoning").map((part) => part.text)).toEqual(
      view.thoughts.map(({ text }) => text),
    );
    const calls = parts.filter((part) => part.type === "dynamic-tool");
    expect(calls.map(({ toolCallId, state }) => ({ id: toolCallId, ended: state.startsWith("output-") }))).toEqual(
      view.tools.map(({ id, endedAt }) => ({ id, ended: endedAt !== undefined })),
    );
    expect(calls.map(({ state }) => state === "output-available")).toEqual(
      view.tools.map(({ state }) => state === "completed"),
    );
    const isRefused = (index: number) => /^(rejected|timed_out)$/.test(view.approvals[index]?.status ?? "");
    expect(calls.map(({ state }) => state === "output-denied")).toEqual(
      view.tools.map((tool) => tool.approvals.some(isRefused)),
    );
    const approvals = parts.flatMap((part) => (part.type === "data-approval" ? (part.data as Decided) : []));
    expect(approvals.map(({ approval_id, status }) => ({ id: approval_id, status }))).toEqual(
      view.approvals.map(({ id, status }) => ({ id, status })),
    );
    const questions = parts.flatMap((part) => (part.type === "data-question" ? (part.data as { answer: string }) : []));
    expect(questions.map(({ answer }) => answer)).toEqual(view.questions.map(({ answer }) => answer));
  });

  test("a stream that is cut anywhere ends well", async () => {
    for (let length = 1; length <= envelopes.length; length += 1) {
      const translator = aiSdkTranslator();
      const chunks = envelopes.slice(0, length).flatMap((envelope) => translator.translate(envelope));
      await folded([...chunks, ...translator.cut()]);
    }
  });
});

interface Decided {
  approval_id: string;
  status: string;
}

test("a text of which pieces are lost comes whole with its end", async () => {
  const envelopes = envelopesOf("success");
  for (let at = 1; at < envelopes.length - 3; at += 1) {
    const { translate } = aiSdkTranslator();
    const torn = withGap(envelopes, at, 3);
    const { parts } = await folded(torn.flatMap((envelope) => translate(envelope)));
    const texts = parts.flatMap((part) => (part.type === "text" ? part.text : []));
    expect(texts, `lost from ${at} on`).toEqual(expect.arrayContaining(wholeTexts(torn)));
  }
});

test("a call that no model proposed is shown as soon as it begins", async () => {
  const { translate } = aiSdkTranslator();
  const envelopes = envelopesOf("lifecycle-shell-task");
  const begun = envelopes.slice(
    0,
    envelopes.findIndex(({ type }) => type === "tool.started"),
  );
  const { parts } = await folded(begun.flatMap((envelope) => translate(envelope)));
  expect(parts).toMatchObject([{ type: "dynamic-tool", toolName: "shell", state: "input-available" }]);
});

const plain = (chunk: AiSdkChunk): AiSdkChunk => JSON.parse(JSON.stringify(chunk));

async function folded(chunks: readonly AiSdkChunk[]): Promise<UIMessage> {
  const stream = ReadableStream.from(chunks.map(plain) as UIMessageChunk[]);
  let last: UIMessage | undefined;
  const errors: unknown[] = [];
  for await (const message of readUIMessageStream({ stream, onError: (error) => errors.push(error) })) last = message;
  const failures = chunks.filter(({ type }) => type === "error").length;
  expect(errors).toHaveLength(failures);
  if (!last) throw new Error("The stream holds no message.");
  return last;
}
