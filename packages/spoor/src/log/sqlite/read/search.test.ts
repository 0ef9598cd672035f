import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { newRunId } from "../../../../testing/log/drafts.ts";
import type { Log } from "../../log.ts";
import type { RunFacts } from "../../records.ts";
import { patternOf } from "../../work/run-filter.ts";
import { openFile } from "../driver.ts";
import { openSqliteLog } from "../log.ts";
import { openReadOnly } from "../read-only.ts";

function temporaryLog(): { directory: string; log: Log } {
  const directory = mkdtempSync(join(tmpdir(), "spoor-search-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { directory, log: openSqliteLog({ directory }) };
}

interface Recorded {
  run_id: string;
  agent: string;
  facts: RunFacts;
  prompts: string[];
  paths: string[];
}

const event = (type: string, data: object) => ({ type, timestamp: 1, json: JSON.stringify(data) });

const prompted = (text: string) => event("user.message", { turn_index: 0, text, via: "prompt" });
const changed = (path: string) => event("tool.file.patch", { path, operation: "edit", diff: "" });

async function record(log: Log, { agent = "toy", facts = {}, prompts = [], paths = [] }: Partial<Recorded>) {
  const run_id = newRunId();
  const drafts = [...prompts.map(prompted), event("external.event", { text: "noise" }), ...paths.map(changed)];
  await log.append([{ run_id, create: { agent, kind: "agent" }, drafts, facts }]);
  return { run_id, agent, facts, prompts, paths };
}

const idsOf = async (log: Log, query: Parameters<Log["runs"]>[0]) =>
  (await log.runs({ limit: 500, ...query })).runs.map(({ run_id }) => run_id);

describe("searching a log", () => {
  it("finds words in titles, prompts, agents, models, ids, folders and changed paths, across all of them", async () => {
    const { log } = temporaryLog();
    const { run_id } = await record(log, {
      agent: "codex",
      facts: { title: "Fix add()", model: "gpt-6.1-sol", workspace_path: "/home/Dev/Project" },
      prompts: ["Fix add()\nThen write a TEST for Ärger.", "Now the docs"],
      paths: ["src/calc.js"],
    });
    await record(log, { facts: { title: "Another" } });
    const words = [
      "add()",
      "ärger",
      "docs",
      "CODEX",
      "6.1",
      run_id.slice(-8),
      "dev/proj",
      "calc.JS",
      "fix calc sol docs",
    ];
    for (const q of words) expect([q, await idsOf(log, { q })]).toEqual([q, [run_id]]);
    for (const q of ["noise", "fix nothing", "addcalc"]) expect([q, await idsOf(log, { q })]).toEqual([q, []]);
    expect(await idsOf(log, { path: "Calc" })).toEqual([run_id]);
    expect(await idsOf(log, { path: "dev/project" })).toEqual([run_id]);
    expect(await idsOf(log, { path: "docs" })).toEqual([]);
    expect(await idsOf(log, { agent: "cod*", model: "*SOL" })).toEqual([run_id]);
    expect(await idsOf(log, { agent: "*x", q: "another" })).toEqual([]);
    await log.close();
  });

  it("finds the same as a naive search, whatever was written and whatever is asked for", async () => {
    const { log } = temporaryLog();
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 12 }),
      fc.constantFrom("a b", "%", "_", "'", '"', "*", "İß"),
    );
    const run = fc.record({
      agent: fc.constantFrom("claude", "codex"),
      facts: fc.record({ title: text, model: text }, { requiredKeys: [] }),
      prompts: fc.array(text, { maxLength: 3 }),
      paths: fc.array(
        text.filter((path) => path !== ""),
        { maxLength: 3 },
      ),
    });
    const lower = (value: string) => value.normalize("NFC").toLowerCase();
    const recorded: Recorded[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 3 }), text, async (more, q) => {
        for (const each of more) recorded.unshift(await record(log, each));
        const naive = recorded.filter(({ run_id, agent, facts, prompts, paths }) => {
          const texts = [facts.title ?? "", facts.model ?? "", run_id, agent, ...prompts, ...paths].map(lower);
          const words = lower(q).split(/\s+/).filter(Boolean);
          return words.every((word) => texts.some((each) => each.includes(word)));
        });
        expect(await idsOf(log, { q })).toEqual(naive.slice(0, 500).map(({ run_id }) => run_id));
      }),
      { numRuns: 60 },
    );
    await log.close();
  });

  it("finds what a run has recorded since the last search", async () => {
    const { log } = temporaryLog();
    const { run_id } = await record(log, { prompts: ["first"] });
    expect(await idsOf(log, { q: "second" })).toEqual([]);
    await log.append([{ run_id, epoch: 1, drafts: [prompted("second"), changed("late.js")] }]);
    expect(await idsOf(log, { q: "first second late" })).toEqual([run_id]);
    await log.close();
  });

  it("does not find the texts of events that were pruned", async () => {
    const { log } = temporaryLog();
    const { run_id } = await record(log, { prompts: ["secret plan"] });
    await log.append([
      { run_id, epoch: 1, drafts: [prompted("kept"), event("run.finished", {})], facts: { status: "completed" } },
    ]);
    expect(await idsOf(log, { q: "secret" })).toEqual([run_id]);
    await log.upkeep.prune(run_id, 1, "age");
    expect(await idsOf(log, { q: "secret" })).toEqual([]);
    expect(await idsOf(log, { q: "kept" })).toEqual([run_id]);
    await log.close();
  });

  it("finds a run that has not begun by what its task asks for", async () => {
    const { log } = temporaryLog();
    const run_id = newRunId();
    const spec = JSON.stringify({ kind: "agent", prompt: ["Title", "and the Whole prompt"] });
    await log.rows.write([{ do: "insert", table: "tasks", row: { task_id: "task_1", created_at: 1, spec } }]);
    await log.append([{ run_id, create: { agent: "toy", kind: "agent", task_id: "task_1" }, drafts: [] }]);
    expect(await idsOf(log, { q: "whole" })).toEqual([run_id]);
    await log.close();
  });

  it("searches a log of an older version, and one on a read-only disk", async () => {
    const { directory, log: old } = temporaryLog();
    const { run_id } = await record(old, { prompts: ["written long ago"] });
    await old.close();
    // That version had neither texts nor cursors.
    const database = openFile(`${directory}/spoor.db`);
    database.exec("DROP TABLE run_texts; DROP TABLE cursors; PRAGMA user_version = 3");
    database.close();
    const copy = openReadOnly({ directory });
    expect(await idsOf(copy, { q: "long ago" })).toEqual([run_id]);
    await copy.close();
    const log = openSqliteLog({ directory });
    expect(await idsOf(log, { q: "long ago" })).toEqual([run_id]);
    await log.close();
  });

  it("counts the runs of the log by state", async () => {
    const { log } = temporaryLog();
    for (const state of ["working", "working", "blocked", "error"] as const) await record(log, { facts: { state } });
    await record(log, { facts: { renormalized_from_run_id: "run_x", state: "done" } });
    const { run_id } = await record(log, {});
    await log.append([{ run_id, drafts: [], facts: { status: "completed" } }]);
    expect(await log.runs({ limit: 1, counts: true, hide_renormalized: true })).toMatchObject({
      runs: [{ run_id }],
      counts: { total: 5, working: 2, blocked: 1, error: 1, done: 1, idle: 0 },
    });
    await log.close();
  });
});

it.each([
  ["*", "", true],
  ["a*b", "a-b", true],
  ["a*b", "ab", true],
  ["ab*ba", "aba", false],
  ["*a*b*", "xbxa", false],
  ["A.*", "a.b", true],
  ["A.*", "axb", false],
])("the pattern %s accepts %s: %s", (pattern, text, accepts) => {
  expect(patternOf(pattern)(text)).toBe(accepts);
});

// Trying every place for every star would run into the time limit of the test.
it("a pattern of many stars is answered", () => {
  expect(patternOf("*a".repeat(2_000))("a".repeat(1_900))).toBe(false);
});
