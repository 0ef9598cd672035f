import { createRunFold, type Envelope, type RunView } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { createRowBuilder, rowOfEvent } from "./build-rows.ts";
import { searchRows } from "./find/search-rows.ts";
import { nextStop, nextTurn, stopsOf } from "./stops.ts";
import { groupWords } from "./words/join-reads.ts";

/** Folds events that are given as type and data. */
function viewOf(...events: [type: string, data: object][]): RunView {
  const fold = createRunFold();
  for (const envelope of envelopesOf(events)) fold.fold(envelope);
  return fold.snapshot();
}

const envelopesOf = (events: [type: string, data: object][]): Envelope[] =>
  events.map(
    ([type, data], sequence) =>
      ({
        ...{ type, data, sequence, run_id: "run_01KDVDNA0480000000G0000000", event_id: `evt_${sequence}` },
        occurred_at: new Date(Date.UTC(2026, 0, 1) + sequence * 1000).toISOString(),
      }) as unknown as Envelope,
  );

const rowsOf = (...events: [type: string, data: object][]) => createRowBuilder()(viewOf(...events));

const call = (id: string, kind: string, input: object): [string, object][] => [
  ["assistant.tool_call_proposed", { tool_call_id: id, tool_name: kind, kind, input }],
  ["tool.invoked", { tool_call_id: id, tool_name: kind, kind }],
  ["tool.completed", { tool_call_id: id, tool_name: kind, kind }],
];

const read = (id: string) => call(id, "file_read", { path: `${id}.ts` });
const begin: [string, object][] = [
  ["run.created", { agent: "claude" }],
  ["user.message", { text: "Do it", via: "prompt" }],
  ["turn.started", { turn_index: 1 }],
];
const say = (text: string, block = 0): [string, object] => [
  "assistant.text_complete",
  { turn_index: 1, block_index: block, text },
];

describe("the rows of a conversation", () => {
  it("are marked by who does what", () => {
    const rows = rowsOf(...begin, say("Hello"), ...call("a", "shell", { command: "ls" }), [
      "acme.deployed",
      { build: 7 },
    ]);
    expect(rows.map(({ kind, mark }) => `${kind} ${mark}`)).toEqual([
      "prompt you",
      "turn none",
      "text say",
      "cards do",
      "opaque quiet",
    ]);
  });

  it("join cards that have no text between them", () => {
    const rows = rowsOf(
      ...begin,
      ...call("a", "shell", {}),
      ...call("b", "edit", {}),
      say("Now"),
      ...call("c", "shell", {}),
    );
    expect(rows.flatMap((row) => (row.kind === "cards" ? [row.cards.length] : []))).toEqual([2, 1]);
  });

  it("join three or more reads and searches into one card", () => {
    const rows = rowsOf(
      ...begin,
      ...read("a"),
      ...read("b"),
      ...call("c", "grep", { pattern: "x" }),
      ...call("d", "shell", {}),
    );
    const [block] = rows.filter((row) => row.kind === "cards");
    expect(block?.cards.map(({ kind }) => kind)).toEqual(["group", "tool"]);
    const [group] = block?.cards ?? [];
    expect(group?.kind === "group" && groupWords(group)).toBe("Read 2 files, searched once");
  });

  it("leave two reads alone", () => {
    const rows = rowsOf(...begin, ...read("a"), ...read("b"));
    expect(rows.flatMap((row) => (row.kind === "cards" ? row.cards.map(({ kind }) => kind) : []))).toEqual([
      "tool",
      "tool",
    ]);
  });

  it("show a call that waits as its question, and as a card once it is answered", () => {
    const asked: [string, object][] = [
      ...begin,
      ["tool.invoked", { tool_call_id: "a", tool_name: "Bash", kind: "shell", input: { command: "rm x" } }],
      ["approval.requested", { approval_id: "appr_1", tool_call_id: "a", kind: "shell_command", summary: "rm x" }],
    ];
    expect(rowsOf(...asked).at(-1)).toMatchObject({ kind: "approval", mark: "hold" });
    const answered = rowsOf(...asked, [
      "approval.resolved",
      { approval_id: "appr_1", decision: "approved", by: "ann" },
    ]);
    expect(answered.at(-1)).toMatchObject({ kind: "cards", mark: "do" });
  });

  it("keep the place of a gap, and hide checkpoints", () => {
    const rows = rowsOf(
      ...begin,
      ["run.checkpoint_saved", { checkpoint_id: "c" }],
      ["gap.events_lost", { first_lost_sequence: 3, last_lost_sequence: 4, reason: "corrupt" }],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(["prompt", "turn", "gap"]);
    expect(rows.at(-1)?.mark).toBe("break");
  });

  it("are the same objects while their items do not change", () => {
    const fold = createRunFold();
    const build = createRowBuilder();
    const envelopes = envelopesOf([
      ...begin,
      say("One"),
      ...call("a", "shell", {}),
      ["assistant.text_delta", { turn_index: 1, block_index: 1, delta: "T" }],
      ["assistant.text_delta", { turn_index: 1, block_index: 1, delta: "wo" }],
    ]);
    for (const envelope of envelopes.slice(0, -1)) fold.fold(envelope);
    const before = build(fold.snapshot());
    const last = envelopes.at(-1);
    if (last) fold.fold(last);
    const after = build(fold.snapshot());
    expect(after).toHaveLength(before.length);
    expect(after.map((row, index) => row === before[index])).toEqual([true, true, true, true, false]);
  });

  it("end with how the run ended, and do not repeat its error", () => {
    const rows = rowsOf(
      ...begin,
      ["error.reported", { message: "Overloaded", code: "rate_limited" }],
      ["run.failed", { message: "Overloaded", code: "rate_limited", retriable: true }],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(["prompt", "turn", "end"]);
  });
});

describe("moving and finding", () => {
  const rows = rowsOf(
    ...begin,
    say("Alpha"),
    ...call("a", "shell", { command: "echo beta" }),
    ...call("b", "shell", { command: "ls" }),
  );

  it("finds the row of an event", () => {
    expect(rows[rowOfEvent(rows, 1)]?.kind).toBe("prompt");
    expect(rows[rowOfEvent(rows, 8)]?.kind).toBe("cards");
    expect(rowOfEvent(rows, 0)).toBe(-1);
  });

  it("stops at rows and cards, and passes lines of turns", () => {
    const stops = stopsOf(rows);
    expect(stops.map(({ row, card }) => [row, card !== undefined])).toEqual([
      [0, false],
      [2, false],
      [3, true],
      [3, true],
    ]);
    expect(nextStop(stops, stops[1], 0, 1)).toBe(stops[2]);
    expect(nextStop(stops, undefined, 3, -1)).toBe(stops[1]);
    expect(nextTurn(rows, 3, -1)).toBe(1);
    expect(nextTurn(rows, 3, 1)).toBe(-1);
  });

  it("finds words in texts and in closed cards", () => {
    expect(searchRows(rows, "ALPHA")).toEqual([{ row: 2 }]);
    expect(searchRows(rows, "echo beta")).toEqual([{ row: 3, card: "tools 0" }]);
    expect(searchRows(rows, "  ")).toEqual([]);
  });
});
