import type { Envelope } from "@spoor/protocol";
import { describe, expect, test } from "vitest";
import { envelopesOf, golden } from "../../../testing/translators/golden.ts";
import { acolyteTranslator, type StreamEvent } from "./acolyte.ts";
import { createReply } from "./reply.ts";

const kinds = [
  "status",
  "reasoning",
  "tool-call",
  "tool-output",
  "tool-result",
  "text-delta",
  "usage",
  "checklist",
  "error",
];

const translated = (envelopes: readonly Envelope[]): StreamEvent[] => {
  const { translate } = acolyteTranslator();
  return envelopes.flatMap(translate);
};

function check(events: readonly StreamEvent[]): void {
  const calls = new Set<string>();
  const outputs = new Set<string>();
  const results = new Set<string>();
  for (const [index, event] of events.entries()) {
    expect(kinds).toContain(event.type);
    if (event.type === "tool-call") {
      expect(calls.has(event.toolCallId)).toBe(false);
      calls.add(event.toolCallId);
    }
    if (event.type === "tool-output" || event.type === "tool-result") expect(calls).toContain(event.toolCallId);
    if (event.type === "tool-output") outputs.add(event.toolCallId);
    if (event.type === "tool-result") {
      expect(outputs).toContain(event.toolCallId);
      expect(results.has(event.toolCallId)).toBe(false);
      results.add(event.toolCallId);
    }
    if (event.type === "error") expect(index).toBe(events.length - 1);
  }
}

describe.each(golden)("%s", (name) => {
  const envelopes = envelopesOf(name);

  test("has only the kinds of Acolyte, and everything about a call follows it, wherever the log begins", () => {
    for (let first = 0; first < envelopes.length; first += 1) check(translated(envelopes.slice(first)));
  });

  test("says everything about a call after it if no call was announced", () => {
    const silent = envelopes.filter(({ type }) => !type.startsWith("assistant.tool_call") && type !== "tool.invoked");
    check(translated(silent));
  });

  test("streams each text once, and its reply holds the last one", () => {
    const { translate } = acolyteTranslator();
    const reply = createReply();
    let streamed = "";
    for (const envelope of envelopes) {
      const events = translate(envelope);
      reply.add(envelope, events);
      for (const event of events) if (event.type === "text-delta") streamed += event.text;
    }
    const said = envelopes.filter(({ type }) => type === "assistant.text_complete").map(({ data }) => data.text);
    if (name !== "pruned") expect(streamed.startsWith(said.join(""))).toBe(true);
    const { output, outputStreamed } = reply.take();
    expect(outputStreamed).toBe(output !== "");
  });
});

const [sample] = envelopesOf("success");
const event = (type: string, data: object): Envelope => ({ ...sample, type, data }) as Envelope;

test("an event of another program is passed on in a status", () => {
  const deployed = event("acme.deployed", { version: 7 });
  expect(translated([deployed])).toEqual([
    { type: "status", state: { kind: "running" }, message: "acme.deployed", event: deployed },
  ]);
});

test("commands that belong to no call are calls of their own, each with one result", () => {
  const events = translated([
    event("tool.shell.output_chunk", { stream: "stdout", data: "before" }),
    event("tool.shell.command", { command_string: "ls" }),
    event("tool.shell.output_chunk", { stream: "stdout", data: "a" }),
    event("tool.shell.exited", { exit_code: 0 }),
    event("tool.shell.command", { command_string: "false" }),
    event("tool.shell.exited", { exit_code: 1 }),
  ]);
  check(events);
  expect(events.filter(({ type }) => type === "tool-result")).toMatchObject([
    {},
    { isError: true, errorCode: "E_TOOL_FAILED" },
  ]);
});

test("a change counts its lines by its stored patch, whichever of the two events comes first", () => {
  const change = event("tool.file.patch", {
    tool_call_id: "c1",
    tool_name: "write",
    path: "a.txt",
    artifact_id: "art_1",
  });
  const patch = event("artifact.created", { artifact_id: "art_1", kind: "patch", additions: 3, deletions: 1 });
  const other = event("artifact.created", { artifact_id: "art_2", kind: "log" });
  const header = {
    kind: "edit-header",
    labelKey: "tool.label.file_edit",
    path: "a.txt",
    files: 1,
    added: 3,
    removed: 1,
  };
  for (const envelopes of [
    [change, other, patch],
    [other, patch, change],
  ]) {
    expect(translated(envelopes)).toMatchObject([{ type: "tool-call" }, { type: "tool-output", content: header }]);
  }
  const gone = event("tool.file.deleted", { tool_call_id: "c1", path: "a.txt", artifact_id: "art_1" });
  expect(translated([gone, patch]).at(-1)).toMatchObject({ content: { labelKey: "tool.label.file_delete" } });
});

test("a call without output says so before its result", () => {
  expect(translated([event("tool.completed", { tool_call_id: "c1", tool_name: "wait", output: "" })])).toEqual([
    { type: "tool-call", toolCallId: "c1", toolName: "wait", args: {} },
    { type: "tool-output", toolCallId: "c1", toolName: "wait", content: { kind: "no-output" } },
    { type: "tool-result", toolCallId: "c1", toolName: "wait" },
  ]);
});

test("a cut stream ends with an error, and one that is over with nothing more", () => {
  const { translate, cut } = acolyteTranslator();
  translate(event("run.started", {}));
  expect(cut()).toMatchObject([{ type: "error", errorCode: "E_STREAM_CUT" }]);
  translate(event("run.finished", {}));
  expect(cut()).toEqual([]);
  expect(translate(event("acme.later", {}))).toEqual([]);
});
