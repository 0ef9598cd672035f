import { describe, expect, test } from "vitest";
import { createMessageCheck } from "../../../testing/acp/schema.ts";
import { envelopesOf, golden } from "../../../testing/translators/golden.ts";
import { acpTranslator } from "./acp.ts";
import { shortLine } from "./calls.ts";
import { diffsOfPatch } from "./diffs.ts";
import { outcomeOf } from "./outcome.ts";

const translated = (name: string, options: Parameters<typeof acpTranslator>[0] = {}) => {
  const { translate } = acpTranslator(options);
  return envelopesOf(name).flatMap(translate);
};
const updates = (name: string, options = {}) =>
  translated(name, options).flatMap((message) => (message.method === "session/update" ? [message.params.update] : []));

describe.each(golden)("%s", (name) => {
  test("every message passes the published schema and names its event", () => {
    const check = createMessageCheck();
    for (const canAsk of [true, false]) {
      for (const { method, params } of translated(name, { canAsk })) {
        expect(check("agent", { jsonrpc: "2.0", method, params })).toEqual([]);
        const { runId, sequence, eventId } = (params._meta?.["spoor/event"] ?? {}) as Record<string, unknown>;
        expect([runId, sequence, eventId]).toEqual([expect.any(String), expect.any(Number), expect.any(String)]);
      }
    }
  });

  test("a call is told of once, before anything else is said of it", () => {
    const known = new Set<string>();
    for (const update of updates(name)) {
      if (update.sessionUpdate === "tool_call") {
        expect(known).not.toContain(update.toolCallId);
        known.add(update.toolCallId);
      } else if (update.sessionUpdate === "tool_call_update") expect(known).toContain(update.toolCallId);
    }
  });
});

test("a change of a file is a pair of its texts if they are known, and its changed places if not", () => {
  const [created, ...rest] = envelopesOf("files-and-web");
  const patch = rest.find(({ type }) => type === "tool.file.patch");
  if (!created || !patch) throw new Error("The golden stream has no patch.");
  const begin = { ...created, data: { ...created.data, workspace_path: "/home/dev/app" } };
  const change = { ...patch, data: { ...patch.data, path: "a.ts", artifact_id: "art_1", diff: PATCH } };
  const contents = (textsOf?: () => { oldText: string; newText: string }) => {
    const { translate } = acpTranslator(textsOf ? { textsOf } : {});
    const messages = [begin, change].flatMap(translate);
    return messages.map(({ params }) => (params as { update?: { content?: unknown } }).update?.content).at(-1);
  };
  const path = "/home/dev/app/a.ts";
  expect(contents(() => ({ oldText: "whole", newText: "text" }))).toEqual([
    { type: "diff", path, oldText: "whole", newText: "text" },
  ]);
  expect(contents()).toEqual([{ type: "diff", path, oldText: "one\ntwo\n", newText: "one\nthree\n" }]);
});

const PATCH = "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";

test("a new file has no text before it", () => {
  expect(diffsOfPatch("/a", "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+one\n")).toEqual([
    { type: "diff", path: "/a", newText: "one\n" },
  ]);
});

test("a call without a result shows none", () => {
  const ended = envelopesOf("success").find(({ type }) => type === "tool.completed");
  if (!ended) throw new Error("The golden stream has no call.");
  const messages = acpTranslator().translate({ ...ended, data: { ...ended.data, kind: "edit", output: null } });
  const update = (messages.at(-1)?.params as { update?: object } | undefined)?.update;
  expect(update).toMatchObject({ status: "completed", content: [] });
  expect(update).not.toHaveProperty("rawOutput");
});

test("the size of the context is that of the model that is called", () => {
  const contextSizeOf = (model: string) => (model === "" ? undefined : 272_000);
  const sizes = updates("lifecycle-fresh", { contextSizeOf }).flatMap((update) =>
    update.sessionUpdate === "usage_update" ? [update.size] : [],
  );
  expect(sizes).toContain(272_000);
});

test("a long title is not cut within a character, because editors refuse half of one", () => {
  expect(shortLine(`${"x".repeat(198)}😀 and more`)).toBe(`${"x".repeat(198)}…`);
});

test("long output is bounded, and is sent less often the longer it is", () => {
  const [command] = envelopesOf("success").filter(({ type }) => type === "tool.shell.output_chunk");
  if (!command) throw new Error("The golden stream has no output.");
  const { translate } = acpTranslator();
  const piece = { ...command, data: { ...command.data, data: `${"x".repeat(99)}\n` } };
  const sizes = Array.from({ length: 10_000 }, () => translate(piece)).flatMap((messages) =>
    messages.map((message) => JSON.stringify(message).length),
  );
  expect(sizes.length).toBeLessThan(60);
  expect(Math.max(...sizes)).toBeLessThan(20_000);
});

test.each([
  ["success", { stopReason: "end_turn" }],
  ["turn-limit", { stopReason: "max_turn_requests" }],
  ["context-exceeded", { stopReason: "max_tokens" }],
  ["lifecycle-cancel-running", { stopReason: "cancelled" }],
  ["auth-error", { code: -32000 }],
  ["crashed", { code: -32603 }],
] as const)("the run %s ends its prompt as the protocol says", (name, expected) => {
  expect(envelopesOf(name).flatMap((envelope) => outcomeOf(envelope) ?? [])).toMatchObject([expected]);
});

test("a question is a form for an editor that shows forms, and words about where to answer for another", () => {
  expect(translated("question", { canAsk: true }).map(({ method }) => method)).toContain("elicitation/create");
  expect(JSON.stringify(updates("question"))).toContain("spoor answer run_01K9ZC0000SP00R00000000000");
});
