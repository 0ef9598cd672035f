import { setTimeout } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchFor } from "../../../src/log/feed/granularity.ts";
import type { Log } from "../../../src/log/log.ts";
import { patchesOfCall, runDiff } from "../../../src/runtime/artifacts/index.ts";
import { cursorOf } from "../../../src/translators/mcp/answers/cursor.ts";
import { textPart } from "../../../src/translators/mcp/answers/page.ts";
import { appendGolden } from "../../cli/logs.ts";
import { createRun, draft, newRunId } from "../../log/drafts.ts";
import { patchedRun } from "../../runtime/patched-run.ts";
import { envelopesOf, temporaryLog } from "../../runtime/temporary-log.ts";
import { allPages, ask, BOUND, connectHere, refusal } from "./client.ts";

const TIMEOUT = { timeout: 60_000 };

async function place() {
  const { log, directory } = temporaryLog();
  return { log, directory, client: await connectHere({ log: async () => log, directory }) };
}

const sequences = (pages: readonly { events: { sequence: number }[] }[]): number[] =>
  pages.flatMap(({ events }) => events.map(({ sequence }) => sequence));

describe("pages of an MCP answer", TIMEOUT, () => {
  it.each(["turn", "block", "delta"] as const)(
    "hold every event of granularity %s once, whatever their size",
    async (granularity) => {
      const { log, client } = await place();
      for (const name of ["success", "failing-tools", "files-and-web", "question"]) {
        const run = await appendGolden(log, name);
        const match = matchFor(granularity);
        const stored = (await envelopesOf(log, run)).filter(({ type }) => match?.(type) ?? true);
        await fc.assert(
          fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (limit) => {
            const pages = await allPages(client, "read_run", { run, granularity, limit });
            const events = pages.flatMap((page) => page.events);
            expect(events.map(({ sequence }) => sequence)).toEqual(stored.map(({ sequence }) => sequence));
            expect(events.map(({ data }) => data)).toEqual(stored.map(({ data }) => data));
          }),
          { numRuns: 3 },
        );
      }
    },
  );

  it("hold every event once while a run goes on", async () => {
    const { log, client } = await place();
    const run = newRunId();
    const big = "x".repeat(9_000);
    const more = (count: number) => Array.from({ length: count }, (_, index) => draft(`${big} ${index}`));
    await log.append([{ run_id: run, create: { agent: "toy", kind: "agent" }, drafts: more(20) }]);
    const pages = await allPages(client, "read_run", { run, granularity: "delta" }, async (_page, count) => {
      if (count < 8) await log.append([{ run_id: run, drafts: more(3) }]);
    });
    expect(sequences(pages as never)).toEqual(Array.from({ length: 41 }, (_, index) => index));
    // The last cursor waits for what comes next.
    const { next_cursor: cursor } = pages.at(-1) ?? {};
    expect(await ask(client, "read_run", { run, granularity: "delta", cursor })).toMatchObject({
      events: [],
      is_over: false,
    });
    await log.append([{ run_id: run, drafts: more(1) }]);
    const { events } = await ask(client, "read_run", { run, granularity: "delta", cursor });
    expect(events).toMatchObject([{ sequence: 41 }]);
  });

  it("hold every run once while new ones begin", async () => {
    const { log, client } = await place();
    const known: string[] = [];
    for (let index = 0; index < 30; index += 1) known.push(await createRun(log, 1));
    const pages = await allPages(client, "list_runs", { limit: 7 }, async () => void (await createRun(log, 1)));
    const listed = pages.flatMap(({ runs }) => runs.map(({ run_id }: { run_id: string }) => run_id));
    expect(listed).toEqual(known.toReversed());
    expect(new Set(listed).size).toBe(30);
  });

  it("join to the diff that the first page showed, although the run changes more files meanwhile", async () => {
    const { log, directory, client } = await place();
    const lines = (word: string) =>
      Buffer.from(Array.from({ length: 300 }, (_, index) => `${word} ${index} ${"of many ".repeat(16)}\n`).join(""));
    const change = (path: string) => ({ path, before: lines("old"), after: lines("new") });
    const { run_id, task_id } = await patchedRun(log, directory, directory, [change("a.txt"), change("b.txt")], {
      isOver: false,
    });
    const whole = await runDiff(log, directory, { run_id });
    expect(whole.diff.length).toBeGreaterThan(BOUND);
    const pages = await allPages(client, "run_diff", { run: run_id }, async (_page, count) => {
      if (count === 1) await addPatch(log, directory, { run_id, task_id, ...change("c.txt") });
    });
    expect(pages.map(({ diff }) => diff).join("")).toBe(whole.diff.toString());
    expect(pages[0]).toMatchObject({ files_total: 2, files: [{ path: "a.txt", additions: 300 }, { path: "b.txt" }] });
    expect(await ask(client, "run_diff", { run: run_id })).toMatchObject({ files_total: 3 });
    const patches = await allPages(client, "list_artifacts", { run: run_id, kind: "patch", limit: 2 });
    const ids = patches.flatMap(({ artifacts }) => artifacts.map(({ id }: { id: string }) => id));
    expect(new Set(ids).size).toBe(3);
    const parts = await allPages(client, "read_artifact", { artifact_id: ids[0] });
    expect(parts.map(({ text }) => text).join("")).toContain("+new 299 ");
  });

  it("join to a tool result of 20 MB, and the event itself is shortened", async () => {
    const { log, client } = await place();
    const run = newRunId();
    const output =
      Array.from({ length: 400_000 }, (_, index) => `line ${index} of a very long output\n`).join("") +
      "é".repeat(4_000_000);
    const drafts = [draft("before"), { ...draft(""), json: JSON.stringify({ output }) }, draft("after")];
    await log.append([{ run_id: run, create: { agent: "toy", kind: "agent" }, drafts }]);
    await log.append([{ run_id: run, drafts: [draft("the end")], facts: { status: "completed" } }]);
    const events = (await allPages(client, "read_run", { run, granularity: "delta" })).flatMap((page) => page.events);
    expect(events).toMatchObject([{ sequence: 0 }, { sequence: 1, truncated: true }, { sequence: 2 }, { sequence: 3 }]);
    expect(events[1].data.output).toMatch(/^line 0 of .*… \[[\d,]+ more characters\]$/s);
    const input = { run, sequence: 1, pointer: "/data/output" };
    const first = await ask(client, "read_event", input);
    expect(first.total_bytes).toBe(Buffer.byteLength(output));
    const second = await ask(client, "read_event", { ...input, cursor: first.next_cursor });
    expect(output.startsWith(first.text + second.text)).toBe(true);
    expect(first.text.length + second.text.length).toBeGreaterThan(20_000);
  });

  it("hold every group of costs once while new runs begin", async () => {
    const { log, client } = await place();
    const begin = () =>
      log.append([
        { run_id: newRunId(), create: { agent: "toy", kind: "agent" }, drafts: [draft("x", undefined, Date.now())] },
      ]);
    for (let index = 0; index < 120; index += 1) await begin();
    await setTimeout(2);
    const pages = await allPages(client, "usage", { by: ["task"] }, async () => void (await begin()));
    const tasks = pages.flatMap(({ groups }) => groups.map(({ task_id }: { task_id: string }) => task_id));
    expect(pages.length).toBeGreaterThan(1);
    expect(new Set(tasks).size).toBe(120);
    expect(tasks).toHaveLength(120);
  });

  it("refuse a cursor of another call, and one that nobody made", async () => {
    const { log, client } = await place();
    for (let index = 0; index < 3; index += 1) await createRun(log, 1);
    const run = await createRun(log, 1);
    const forged = (tool: string, input: object, at: Record<string, string | number>) => ({
      ...input,
      cursor: cursorOf(tool, input, at),
    });
    const { next_cursor: cursor } = await ask(client, "list_runs", { limit: 2 });
    for (const [name, input] of [
      ["list_runs", { cursor, agent: "toy" }],
      ["usage", { cursor }],
      ["list_runs", { cursor: "bogus" }],
      ["list_runs", { cursor: Buffer.from('["x",{"before":{}}]').toString("base64url") }],
      ["read_event", forged("read_event", { run, sequence: 0 }, { offset: -7 })],
      ["read_event", forged("read_event", { run, sequence: 0 }, { offset: "seven" })],
      ["run_diff", forged("run_diff", { run }, { offset: -1 })],
      ["run_cost", forged("run_cost", { run }, { turns: -3 })],
      ["read_run", forged("read_run", { run, granularity: "delta" }, { after: -5 })],
    ] as const) {
      expect(await refusal(client, name, input)).toMatch(/^invalid_cursor: .*leave cursor out/);
    }
    expect((await ask(client, "list_runs", { cursor, limit: 200 })).runs).toHaveLength(2);
  });

  it("go on behind an event that is nested deeper than a program can follow", async () => {
    const { log, client } = await place();
    const run = newRunId();
    const depths = [300, 3_000, 20_000];
    const nested = depths.map((depth) => ({ ...draft(""), json: `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}` }));
    const create = { agent: "toy", kind: "agent" } as const;
    await log.append([{ run_id: run, create, drafts: [...nested, draft("after")], facts: { status: "completed" } }]);
    const pages = await allPages(client, "read_run", { run, granularity: "delta" });
    expect(sequences(pages as never)).toEqual([0, 1, 2, 3]);
    expect(pages.flatMap(({ events }) => events)).toMatchObject(
      depths.map(() => ({ truncated: true })).concat({} as never),
    );
    expect((await ask(client, "read_event", { run, sequence: 2 })).total_bytes).toBeGreaterThan(6 * 20_000);
    expect(await refusal(client, "read_event", { run, sequence: 2, pointer: "/data" })).toMatch(/^too_deep: .*pointer/);
  });

  it("are few, even of bytes that are no text", () => {
    const whole = Buffer.alloc(200_000, 0x80);
    let count = 0;
    for (let next: number | undefined = 0; next !== undefined; count += 1) ({ next } = textPart(whole, next));
    expect(count).toBeLessThan(40);
  });

  it("stay within the bound, whatever an event holds", async () => {
    const { log, client } = await place();
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.nat(12_000).map((length) => '"\\\u0000\u202e\n'.repeat(length / 5)),
      fc.nat(9_000).map((length) => "漢".repeat(length)),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        text,
        fc.double(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 12 }),
        fc.dictionary(text, tie("value"), { maxKeys: 5 }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(text, value, { maxKeys: 6 }), { minLength: 1, maxLength: 8 }),
        async (all) => {
          const run = newRunId();
          const drafts = all.map((data) => ({ ...draft(""), json: JSON.stringify(data) }));
          await log.append([
            {
              run_id: run,
              create: { agent: "toy", kind: "agent" },
              drafts,
              facts: { title: JSON.stringify(all).slice(0, 50_000) },
            },
          ]);
          let seen = 0;
          for (let cursor: string | undefined; seen < all.length; ) {
            const page = await ask(client, "read_run", { run, granularity: "delta", ...(cursor && { cursor }) });
            expect(page.events.length).toBeGreaterThan(0);
            seen += page.events.length;
            cursor = page.next_cursor;
          }
          await ask(client, "read_run", { run });
          await ask(client, "list_runs", {});
          await ask(client, "read_event", { run, sequence: 0 });
        },
      ),
      { numRuns: 12 },
    );
  });
});

async function addPatch(
  log: Log,
  directory: string,
  { run_id, task_id, ...file }: { run_id: string; task_id: string; path: string; before: Buffer; after: Buffer },
): Promise<void> {
  const at = Date.now();
  const own = { run_id, task_id, turn_index: 1, group_id: "call_2", mode: 0o100644, tool_call_ids: ["call_2"] };
  const { drafts, effects } = await patchesOfCall(directory, {
    files: [{ ...own, attribution: "call", ...file }],
    tool_name: "Write",
    at,
  });
  const events = drafts.map(({ type, data }) => ({ type, timestamp: at, json: JSON.stringify(data) }));
  await log.append([{ run_id, epoch: 1, drafts: events, effects }]);
}
