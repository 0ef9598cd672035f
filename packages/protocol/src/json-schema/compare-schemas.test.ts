import { describe, expect, it } from "vitest";
import { type Definition, dotted } from "../envelope/define.ts";
import { Count, Flag, Key, oneOf, optional, Text, type TProperties, Type } from "../schema.ts";
import { compare, type Tombstones } from "./compare-schemas.ts";
import { currentDefinitions, type Definitions, surfaceOf } from "./schema-surface.ts";

const none: Tombstones = { types: [], fields: [], values: [] };
const released = surfaceOf(currentDefinitions);

const broken = (now: Definitions, tombstones = none) => compare(released, surfaceOf(now), tombstones);

/** The current definitions with one payload's fields changed. */
function withFields(type: string, change: (fields: TProperties) => TProperties): Definitions {
  const payloads = currentDefinitions.payloads.map((definition): Definition => {
    const fields = definition.data.properties;
    return definition.type === type
      ? dotted(type, definition.standing, definition.summary, change(fields))
      : definition;
  });
  return { ...currentDefinitions, payloads };
}

const withField = (type: string, name: string, field: TProperties[string]): Definitions =>
  withFields(type, (fields) => ({ ...fields, [name]: field }));

describe("compare finds", () => {
  it("nothing when nothing changed", () => {
    expect(broken(currentDefinitions)).toEqual([]);
  });

  it("a field that was dropped", () => {
    expect(broken(withFields("run.started", ({ worker_id: _, ...rest }) => rest))).toEqual([
      {
        code: "field_removed",
        at: "run.started#worker_id",
        message:
          "`run.started#worker_id` is no longer defined, but readers use it. Define it again. To rename a field, add the new one and keep the old one.",
      },
    ]);
  });

  it("a field that was renamed, by its old name", () => {
    const renamed = withFields("run.started", ({ worker_id, ...rest }) => ({ ...rest, worker: worker_id as never }));
    expect(broken(renamed).map(({ code, at }) => `${code} ${at}`)).toEqual(["field_removed run.started#worker_id"]);
  });

  it("a field of another type", () => {
    expect(broken(withField("turn.failed", "will_retry", Text("Whether it is tried again.")))).toEqual([
      {
        code: "retyped",
        at: "turn.failed#will_retry",
        message:
          "`turn.failed#will_retry` was boolean and is now string. Restore its type, and use a new optional field for the new type.",
      },
    ]);
  });

  it("a field that no longer accepts null", () => {
    expect(broken(withField("run.queued", "prior_run_id", optional(Text("")))).map(({ message }) => message)).toEqual([
      "`run.queued#prior_run_id` was string|null and is now string. Restore its type, and use a new optional field for the new type.",
    ]);
  });

  it("a value that was removed from a list", () => {
    const halted = oneOf(["halted", "stopped"], "What was done about it.");
    expect(broken(withField("cost.budget_exceeded", "action", halted))).toEqual([
      {
        code: "value_removed",
        at: "cost.budget_exceeded#action=paused",
        message: "`cost.budget_exceeded#action=paused` is no longer allowed, but stored events use it. Allow it again.",
      },
    ]);
  });

  it("an optional field that became required", () => {
    expect(broken(withField("turn.started", "model", Text("The model called.")))).toEqual([
      {
        code: "made_required",
        at: "turn.started#model",
        message:
          "`turn.started#model` was optional and is now required, but stored events lack it. Make it optional again.",
      },
    ]);
  });

  it("a required field that became optional", () => {
    expect(broken(withField("turn.failed", "will_retry", optional(Flag(""))))).toEqual([
      {
        code: "made_optional",
        at: "turn.failed#will_retry",
        message:
          "`turn.failed#will_retry` was required and is now optional, but readers rely on it. Make it required again.",
      },
    ]);
  });

  it("a new field that is required", () => {
    expect(broken(withField("run.paused", "ticket", Text("Why."))).map(({ message }) => message)).toEqual([
      "`run.paused#ticket` is new and required, but stored events lack it. Make it optional.",
    ]);
  });

  it.each([
    ["a lower bound that rose", Type.Integer({ minimum: 1 }), "minimum 0", "minimum 1"],
    ["an upper bound where there was none", Type.Integer({ minimum: 0, maximum: 9 }), "maximum none", "maximum 9"],
  ])("%s", (_, field, before, now) => {
    expect(broken(withField("approval.timed_out", "after_seconds", field))).toEqual([
      {
        code: "tightened",
        at: "approval.timed_out#after_seconds",
        message: `\`approval.timed_out#after_seconds\` allowed more (${before}) than it does now (${now}), and stored events use the wider range. Remove the new limit.`,
      },
    ]);
  });

  it("a text that may no longer be empty, or must be one of a list", () => {
    const at = (field: TProperties[string]) =>
      broken(withField("turn.failed", "message", field)).map(({ code, at }) => `${code} ${at}`);
    expect(at(Key("What went wrong."))).toEqual(["tightened turn.failed#message"]);
    expect(at(oneOf(["timeout", "refused"], "What went wrong."))).toEqual(["tightened turn.failed#message"]);
  });

  it("another pattern, because two patterns cannot be compared", () => {
    const day = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d" });
    const found = broken(withField("gap.events_pruned", "pruned_at", day));
    expect(found.map(({ code, at }) => `${code} ${at}`)).toEqual(["tightened gap.events_pruned#pruned_at"]);
  });

  it("a change deep inside a list of objects", () => {
    const todos = Type.Array(Type.Object({ content: Text(""), status: oneOf(["pending", "completed"], "") }));
    expect(broken(withField("tool.todo_write.updated", "todos", todos)).map(({ at }) => at)).toEqual([
      "tool.todo_write.updated#todos[].status=in_progress",
      "tool.todo_write.updated#todos[].status=cancelled",
    ]);
  });

  it("a type that was removed, on either side and by name", () => {
    const payloads = currentDefinitions.payloads.filter(({ type }) => type !== "turn.failed");
    const agentEvents = currentDefinitions.agentEvents.filter(({ properties }) => properties.type.const !== "log");
    expect(broken({ ...currentDefinitions, payloads, agentEvents })).toEqual([
      {
        code: "type_removed",
        at: "turn.failed",
        message:
          "`turn.failed` is no longer defined, but stored runs use it. Define it again. To rename a type, add the new one and keep the old one.",
      },
      {
        code: "type_removed",
        at: "log",
        message:
          "`log` is no longer defined, but stored runs use it. Define it again. To rename a type, add the new one and keep the old one.",
      },
    ]);
  });

  it("a change to the envelope itself", () => {
    const envelope = Type.Object({ ...currentDefinitions.envelope.properties, position: Count("") });
    expect(broken({ ...currentDefinitions, envelope }).map(({ code, at }) => `${code} ${at}`)).toEqual([
      "required_added envelope#position",
    ]);
  });
});

describe("compare accepts", () => {
  it("a new type", () => {
    const payloads = [...currentDefinitions.payloads, dotted("run.renamed", "additive", "New.", { name: Text("") })];
    expect(broken({ ...currentDefinitions, payloads })).toEqual([]);
  });

  it("a new optional field", () => {
    expect(broken(withField("run.paused", "reason", optional(Text("Why."))))).toEqual([]);
  });

  it("a new value, a wider limit, or a list that was opened", () => {
    const action = oneOf(["halted", "paused", "warned"], "What was done about it.");
    expect(broken(withField("cost.budget_exceeded", "action", action))).toEqual([]);
    expect(broken(withField("turn.failed", "code", Text("")))).toEqual([]);
    expect(broken(withField("cost.budget_exceeded", "action", Text("")))).toEqual([]);
  });

  it("a new required field inside a field that is itself new", () => {
    const origin = optional(Type.Object({ name: Text("Who.") }));
    expect(broken(withField("run.paused", "origin", origin))).toEqual([]);
  });
});

describe("a tombstone", () => {
  it("keeps a type, a field and a value from being defined again", () => {
    const found = broken(currentDefinitions, {
      types: ["run.paused", "tool.gone"],
      fields: ["run.started#worker_id", "tool.todo_write.updated#todos[].content"],
      values: ["timeout#kind=run"],
    });
    expect(found.map(({ code, at }) => `${code} ${at}`)).toEqual([
      "tombstone_reused run.started#worker_id",
      "tombstone_reused run.paused",
      "tombstone_reused tool.todo_write.updated#todos[].content",
      "tombstone_reused timeout#kind=run",
    ]);
    expect(found[1]?.message).toBe(
      "`run.paused` is defined, but tombstones.json lists it, because old events use it with another meaning. Choose another name.",
    );
  });

  it("does not excuse a removal within one version", () => {
    const now = withFields("run.started", ({ worker_id: _, ...rest }) => rest);
    expect(broken(now, { ...none, fields: ["run.started#worker_id"] }).map(({ code }) => code)).toEqual([
      "field_removed",
    ]);
  });

  it("is required for a removal with a new version", () => {
    const now = { ...withFields("run.started", ({ worker_id: _, ...rest }) => rest), version: "2" };
    expect(broken(now)).toEqual([
      {
        code: "tombstone_missing",
        at: "run.started#worker_id",
        message:
          "`run.started#worker_id` was removed with the new version. List it in tombstones.json, so that its name is never used again.",
      },
    ]);
    expect(broken(now, { ...none, fields: ["run.started#worker_id"] })).toEqual([]);
  });
});
