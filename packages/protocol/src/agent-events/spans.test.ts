import { describe, expect, it } from "vitest";
import { type AgentEventTypeLiteral, agentEventSchema, agentEventTypes } from "./catalog.ts";
import { type Span, spanRoleOf, spans } from "./spans.ts";

const fieldsOf = (type: AgentEventTypeLiteral): object => agentEventSchema(type)?.properties ?? {};
const rows = Object.entries(spans) as [string, Span][];
const typesOf = ({ start, deltas, ready, ends }: Span): AgentEventTypeLiteral[] => [
  start,
  ...deltas.map(({ type }) => type),
  ...(ready === undefined ? [] : [ready]),
  ...ends,
];

describe("the table of spans", () => {
  it("has every event that starts, continues or ends something exactly once", () => {
    const spanLike =
      /_(start|delta|ready|stop|end|exit|result|spawn|request|granted|denied)$|^(mcp_)?(tool|subagent)_.*error$/;
    const expected = agentEventTypes.filter((type) => spanLike.test(type));
    expect(rows.flatMap(([, span]) => typesOf(span)).sort()).toEqual([...expected].sort());
    expect(new Set(expected).size).toBe(expected.length);
  });

  it.each(rows)("%s: all its events carry its key, and its deltas a text", (name, span) => {
    for (const type of typesOf(span)) {
      if (span.key !== undefined) expect(fieldsOf(type)).toHaveProperty(span.key);
      expect(spanRoleOf(type)?.name).toBe(name);
    }
    for (const { type, accumulated } of span.deltas) {
      expect(fieldsOf(type)).toHaveProperty("delta");
      if (accumulated !== undefined) expect(fieldsOf(type)).toHaveProperty(accumulated);
      else expect(Object.keys(fieldsOf(type)).join()).not.toMatch(/accumulated/i);
    }
  });

  it("has every event with a delta as a delta", () => {
    const deltas = rows.flatMap(([, span]) => span.deltas.map(({ type }) => type));
    expect(agentEventTypes.filter((type) => "delta" in fieldsOf(type)).sort()).toEqual(deltas.sort());
  });
});
