import { type Envelope, isTerminalRunType, viewOf } from "@spoor/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
// biome-ignore lint/style/noRestrictedImports: the simulated agent is for tests and no part of the published package.
import { validStream } from "../../../../protocol/testing/arbitrary.ts";
// biome-ignore lint/style/noRestrictedImports: writes envelopes for tests and is no part of the published package.
import { recorded } from "../../../../protocol/testing/record.ts";
import { envelopesOf, golden } from "../../../testing/translators/golden.ts";
import { zotTranslator } from "../zot/zot.ts";
import { type GlasspaneLine, glasspaneTranslator } from "./glasspane.ts";

describe("a pane", () => {
  it.each(golden)("of %s is Done only at its end, and each call starts and ends once", (name) => {
    expectPane(envelopesOf(name));
  });

  it("of any run is Done only at its end, each call starts and ends once, and a beginning stays a beginning", () => {
    fc.assert(
      fc.property(validStream(100), fc.nat(), (events, seed) => {
        const envelopes = recorded(events);
        const lines = expectPane(envelopes);
        const { translate } = glasspaneTranslator();
        const beginning = envelopes.slice(0, seed % envelopes.length).flatMap(translate);
        expect(lines.slice(0, beginning.length)).toEqual(beginning);
      }),
      { numRuns: 100 },
    );
  });

  it.each(golden)("of %s waits for somebody whenever the page says so", (name) => {
    const envelopes = envelopesOf(name);
    const { translate, pane } = glasspaneTranslator();
    for (const [index, envelope] of envelopes.entries()) {
      translate(envelope);
      const { state } = pane() ?? {};
      if (state === "Error" || state === "Done") return;
      const isBlocked = viewOf(envelopes.slice(0, index + 1)).state === "blocked";
      expect([envelope.type, state === "Blocked"]).toEqual([envelope.type, isBlocked]);
    }
  });

  it("does not flicker between a turn that calls tools and the next", () => {
    const lines = envelopesOf("success").flatMap(glasspaneTranslator().translate);
    expect(statesIn(lines)).toEqual(["Idle", "Working", "Done"]);
  });

  it("does not flicker when a run goes on in the queue after an answer or a pause", () => {
    const lines = envelopesOf("lifecycle-approved").flatMap(glasspaneTranslator().translate);
    expect(statesIn(lines)).toEqual(["Idle", "Working", "Blocked", "Working", "Done"]);
    const [first] = envelopesOf("success") as [Envelope];
    const types = ["run.started", "run.paused", "run.queued", "run.started", "run.finished"];
    const paused = types.map((type) => ({ ...first, type, data: {} })).flatMap(glasspaneTranslator().translate);
    expect(statesIn(paused)).toEqual(["Working", "Blocked", "Working", "Done"]);
  });

  it("is Idle again when the run lost its process and waits for another", () => {
    const lines = envelopesOf("lifecycle-crash-requeued").flatMap(glasspaneTranslator().translate);
    expect(statesIn(lines)).toEqual(["Idle", "Working", "Idle", "Working", "Done"]);
  });

  it("ends the turn of a model call that failed with the stop of zot", () => {
    const [first] = envelopesOf("success") as [Envelope];
    const types = ["turn.started", "turn.failed", "turn.completed", "turn.started", "turn.completed"];
    const lines = types.map((type) => ({ ...first, type, data: {} })).flatMap(glasspaneTranslator().translate);
    const stops = lines.flatMap((line) => (line.type === "turn_end" && "stop" in line ? [line.stop] : []));
    expect(stops).toEqual(["error", "end"]);
  });

  it("stays in Error when the run ends, until another turn begins", () => {
    const { translate, pane } = glasspaneTranslator();
    for (const envelope of envelopesOf("auth-error")) translate(envelope);
    expect(pane()).toMatchObject({ state: "Error", error: "http 401", needs_attention: true });
    const [first] = envelopesOf("success") as [Envelope];
    const other = glasspaneTranslator();
    const states = ["run.started", "error.crash", "tool.invoked", "turn.started"].map((type) => {
      other.translate({ ...first, type, data: { tool_call_id: "a", message: "gone" } });
      return other.pane()?.state;
    });
    expect(states).toEqual(["Working", "Error", "Error", "Working"]);
  });

  it("is stalled when nothing happens, and no longer when something does", () => {
    const { translate, check, pane } = glasspaneTranslator();
    const [first, second] = envelopesOf("success") as [Envelope, Envelope];
    translate(first);
    const at = Date.parse(first.occurred_at);
    expect(check(at + 999, 1_000)).toBeUndefined();
    expect(check(at + 1_000, 1_000)).toMatchObject({ stalled: true, needs_attention: true, state: "Idle" });
    expect(check(at + 2_000, 1_000)).toBeUndefined();
    expect(translate(second).at(-1)).toMatchObject({ type: "pane", stalled: false, needs_attention: false });
    expect(pane()).toMatchObject({ stalled: false });
  });

  it.each(["success", "failing-tools", "aborted", "mcp-ok"])(
    "of %s tells of calls what Glasspane makes of zot's lines",
    (name) => {
      const ofZot = envelopesOf(name).flatMap(zotTranslator().translate).flatMap(asGlasspane);
      const own = envelopesOf(name)
        .flatMap(glasspaneTranslator().translate)
        .flatMap(({ type, toolCallId, isError }) => (marks.test(type) ? [`${type} ${toolCallId} ${isError}`] : []));
      expect(own.toSorted()).toEqual(ofZot.toSorted());
    },
  );
});

const marks = /^tool_execution_(start|end)$/;

/** The mapping of the document that describes Glasspane, for the start and the end of calls. */
const asGlasspane = ({ type, id, is_error }: Record<string, unknown>): string[] => {
  if (type === "tool_use_start") return [`tool_execution_start ${id} undefined`];
  return type === "tool_result" ? [`tool_execution_end ${id} ${is_error}`] : [];
};

/** Expects the rules of a pane at every moment, and returns its lines. */
function expectPane(envelopes: readonly Envelope[]): GlasspaneLine[] {
  const { translate, pane } = glasspaneTranslator();
  const running = new Set<unknown>();
  const seen = new Set<unknown>();
  const all: GlasspaneLine[] = [];
  let isOver = false;
  for (const envelope of envelopes) {
    const lines = translate(envelope);
    isOver ||= isTerminalRunType(envelope.type);
    for (const line of lines) {
      const id = "toolCallId" in line ? line.toolCallId : undefined;
      if (line.type === "tool_execution_start") {
        expect(seen.has(id), `${id} starts again`).toBe(false);
        seen.add(id);
        running.add(id);
      }
      if (line.type === "tool_execution_update") expect(running.has(id), `${id} runs`).toBe(true);
      if (line.type === "tool_execution_end") expect(running.delete(id), `${id} ends once`).toBe(true);
    }
    all.push(...lines);
    const now = pane();
    expect(now?.tools.length).toBe(running.size);
    if (now?.state === "Done") expect([isOver, running.size]).toEqual([true, 0]);
    // The last pane line is the pane.
    expect(statesIn(all).at(-1)).toBe(now?.state);
  }
  expect(running.size).toBe(isOver ? 0 : running.size);
  expect(all.filter(({ type }) => type === "agent_end").length).toBe(isOver ? 1 : 0);
  return all;
}

const statesIn = (lines: readonly GlasspaneLine[]): unknown[] =>
  lines.flatMap((line) => (line.type === "pane" && "state" in line ? [line.state] : []));
