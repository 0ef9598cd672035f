import { expect, test } from "vitest";
import { shapeOf } from "./shape.ts";

test.each([
  [{ type: "system", subtype: "init" }, "system init"],
  [
    { type: "stream_event", event: { type: "content_block_delta", delta: { type: "text_delta" } } },
    "stream_event content_block_delta text_delta",
  ],
  [{ type: "item.started", item: { type: "todo_list" } }, "item.started todo_list"],
  [{ method: "item/started", params: { item: { type: "plan" } } }, "item/started plan"],
  [{ method: "session/update", params: { update: { sessionUpdate: "plan" } } }, "session/update plan"],
  [{ type: "message_update", assistantMessageEvent: { type: "text_delta" } }, "message_update text_delta"],
  [{ id: 1, result: {} }, "answer"],
  [{ id: 1, error: {} }, "error"],
  [{}, "other"],
])("%j has the kind %s", (frame, kind) => {
  expect(shapeOf(frame)?.kind).toBe(kind);
});

test("fields are told with where they stand, once, without what is data", () => {
  const frame = {
    type: "assistant",
    message: { content: [{ id: "a", input: { file: 1 } }, { id: "b" }] },
    agents_states: { "01a1dcca-96b1-79d1": { status: "ok" } },
  };
  expect(shapeOf(frame)?.fields).toEqual([
    "agents_states",
    "agents_states.*",
    "message",
    "message.content",
    "message.content[].id",
    "message.content[].input",
    "type",
  ]);
});

test.each([undefined, null, 7, "text", []])("a value that is no object has no shape: %j", (value) => {
  expect(shapeOf(value)).toBeUndefined();
});

test("even the oddest frame has a shape", () => {
  expect(shapeOf({ type: null, event: null, message: { content: "text" }, params: [] })?.kind).toBe("other");
});
