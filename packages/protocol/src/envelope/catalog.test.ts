import { describe, expect, it } from "vitest";
import { validator } from "../validate.ts";
import { envelopeCatalog, envelopeDefinition } from "./catalog.ts";
import { Envelope } from "./envelope.ts";
import { ownGroups } from "./groups.ts";

/** Every dotted type in the protocol draft and the events reference. */
const named = `
run.created run.queued run.awaiting_approval run.started run.finished run.failed run.cancelled run.resumed_from_event
run.checkpoint_saved turn.started turn.completed turn.failed assistant.text_delta assistant.text_complete
assistant.thinking_delta assistant.thinking_complete assistant.tool_call_proposed assistant.final_answer user.message
user.attachment tool.invoked tool.started tool.completed tool.failed tool.cancelled tool.timed_out tool.shell.command
tool.shell.output_chunk tool.shell.exited tool.file.patch tool.file.applied tool.file.reverted tool.edit.proposed
tool.edit.applied tool.edit.reverted tool.multi_edit.proposed tool.multi_edit.applied tool.multi_edit.reverted
tool.file_read.completed tool.file_write.proposed tool.glob.completed tool.grep.completed tool.todo_write.updated
tool.http.requested tool.http.response tool.web_fetch.requested tool.web_fetch.response tool.web_search.requested
tool.web_search.response approval.requested approval.resolved approval.timed_out artifact.created artifact.referenced
artifact.updated cost.tick cost.budget_warning cost.budget_exceeded policy.tool_blocked policy.model_rewrote
error.tool_unavailable error.model_capability_missing error.upstream gap.events_pruned gap.run_disconnected
task.updated external.event`;

describe("the dotted catalog", () => {
  it("defines every type of the source documents", () => {
    const missing = named
      .trim()
      .split(/\s+/)
      .filter((type) => !envelopeDefinition(type));
    expect(missing).toEqual([]);
  });

  it("marks exactly the types that are not in the source documents as additive", () => {
    const ours = envelopeCatalog.filter(({ type }) => !named.split(/\s+/).includes(type));
    const unnamed = ["tool.file_write.applied", "tool.file_write.reverted", "assistant.tool_call_input_delta"];
    expect(ours.filter(({ type }) => !unnamed.includes(type)).map(({ standing }) => standing)).not.toContain("core");
    expect(envelopeCatalog.filter(({ standing }) => standing === "additive").map(({ type }) => type)).toEqual(
      ours.filter(({ type }) => !unnamed.includes(type)).map(({ type }) => type),
    );
  });

  it("names each type once, as two or more lowercase segments", () => {
    const types = envelopeCatalog.map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
    for (const type of types) expect(type).toMatch(/^[a-z][a-z_]*(\.[a-z_]+)+$/);
  });

  it("describes every type and field", () => {
    for (const { type, summary, data } of envelopeCatalog) {
      expect([type, summary]).not.toContain("");
      for (const [name, field] of Object.entries(data.properties)) {
        expect([type, name, field.description ?? field.const]).not.toContain(undefined);
      }
    }
  });
});

describe("an envelope", () => {
  const isEnvelope = validator(Envelope);
  const valid = {
    schema_version: "1",
    event_id: "evt_01K9ZC0000SP00R00000000000",
    run_id: "run_01K9ZC0000SP00R00000000000",
    sequence: 42,
    occurred_at: "2026-05-03T10:23:45.123456789Z",
    type: "tool.shell.output_chunk",
    data: {},
  };

  it("is accepted with and without optional ids, and with unknown types and fields", () => {
    expect(isEnvelope(valid)).toBe(true);
    expect(isEnvelope({ ...valid, task_id: "task_01K9ZC0000SP00R00000000000" })).toBe(true);
    expect(isEnvelope({ ...valid, session_id: "chat_01K9ZC0000SP00R00000000000" })).toBe(true);
    expect(isEnvelope({ ...valid, type: "acme.thing", shade: "blue" })).toBe(true);
  });

  it.each([
    { schema_version: "2" },
    { schema_version: 1 },
    { event_id: "01K9ZC0000SP00R00000000000" },
    { event_id: "evt_short" },
    { run_id: "task_01K9ZC0000SP00R00000000000" },
    { task_id: "run_01K9ZC0000SP00R00000000000" },
    { sequence: -1 },
    { sequence: 1.5 },
    { sequence: "1" },
    { occurred_at: "2026-05-03 10:23:45Z" },
    { occurred_at: "2026-05-03T10:23:45+02:00" },
    { occurred_at: "2026-02-40T10:23:45Z" },
    { type: "snapshot" },
    { type: "Tool.Invoked" },
    { data: null },
    { data: [] },
  ])("is rejected with %j", (patch) => {
    expect(isEnvelope({ ...valid, ...patch })).toBe(false);
  });
});

it("reserves every group of the catalog, and the group of the renamed source types", () => {
  const groups = envelopeCatalog.map(({ type }) => type.split(".")[0]);
  expect([...ownGroups].sort()).toEqual([...new Set([...groups, "model"])].sort());
});
