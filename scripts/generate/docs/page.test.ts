import { describe, expect, it } from "vitest";
import { agentEventTypes } from "../../../packages/protocol/src/agent-events/catalog.ts";
import { envelopeCatalog } from "../../../packages/protocol/src/envelope/catalog.ts";
import { groups } from "./groups.ts";
import { eventsPage } from "./page.ts";

const page = eventsPage();
const ids = [...page.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id as string);
const tables = page
  .trimEnd()
  .split("\n\n")
  .filter((block) => block.startsWith("|"));

describe("the events page", () => {
  it("has an anchor for every AgentEvent, its mapping and every dotted type, each once", () => {
    expect(ids).toEqual(expect.arrayContaining(agentEventTypes.flatMap((type) => [`event-${type}`, `map-${type}`])));
    expect(ids).toEqual(expect.arrayContaining(envelopeCatalog.map(({ type }) => `type-${type}`)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("has no broken link", () => {
    const targets = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, id]) => id as string);
    expect(targets.length).toBeGreaterThan(300);
    expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it("has the same number of cells in every row of a table", () => {
    const ragged = tables.filter((block) => {
      const [head, ...rows] = block.split("\n").map((line) => line.split(/(?<!\\)\|/).length);
      return rows.some((cells) => cells !== head);
    });
    expect(ragged).toEqual([]);
  });

  it("describes every field, or shows its only value", () => {
    const fields = tables.filter((block) => block.startsWith("| Field | Type |")).flatMap((block) => block.split("\n"));
    const silent = fields.filter((line) => line.endsWith("|  |  |"));
    expect(silent).toEqual([]);
  });

  it("describes every group of types", () => {
    expect(Object.keys(groups).sort()).toEqual(
      [...new Set(envelopeCatalog.map(({ type }) => type.split(".")[0] as string))].sort(),
    );
  });
});
