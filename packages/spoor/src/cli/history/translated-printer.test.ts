import { once } from "node:events";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { goldenDrafts } from "../../../testing/cli/logs.ts";
import { createPlace, fakeCommand } from "../../../testing/cli/process.ts";
import { newRunId } from "../../../testing/log/drafts.ts";
import { readPieces } from "../../log/feed/follow.ts";
import { openLog } from "../../log/open.ts";
import { translatedPrinter } from "./translated-printer.ts";

const TIMEOUT = { timeout: 90_000 };
const program = fileURLToPath(new URL("../../../testing/cli/programs/commanded-claude.mjs", import.meta.url));

function openPlace() {
  const place = createPlace("languages");
  const cwd = path.join(place.home, "project");
  mkdirSync(cwd);
  onTestFinished(place.remove);
  const linesOf = async (...argv: string[]) =>
    (await place.spoor(argv)).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  /** Follows runs, and collects the lines that are printed. */
  const follow = (...argv: string[]) => {
    const child = place.start(["tail", "--as", "glasspane", ...argv]);
    const lines: Record<string, unknown>[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
    const ended = once(child, "exit");
    onTestFinished(() => void child.kill("SIGKILL"));
    const until = (wanted: object) =>
      vi.waitFor(() => expect(lines).toContainEqual(expect.objectContaining(wanted)), {
        timeout: 45_000,
        interval: 50,
      });
    const stop = async () => {
      child.kill("SIGINT");
      return (await ended)[0];
    };
    return { lines, until, ended, stop };
  };
  /** Starts a run of the fake agent, which does what the words say. */
  const task = async (words: string) => {
    const command = `"${process.execPath}" "${program}"`;
    const flags = ["--start", "--json", "--cwd", cwd, "--approve", "ask", "--command", command];
    return JSON.parse((await place.spoor(["task", "new", "agent", "claude", words, ...flags])).stdout).run_id as string;
  };
  return { ...place, linesOf, follow, task };
}

it("prints a run as a pane of Glasspane: the same when it is followed, listed or replayed", TIMEOUT, async () => {
  const { spoor, linesOf } = openPlace();
  await spoor(["run", "claude", "hello", ...fakeCommand]);
  const lines = await linesOf("tail", "last", "--as", "glasspane");
  expect(lines.at(0)).toMatchObject({ type: "session", agent: "claude" });
  expect(lines.filter(({ type }) => type === "pane").map(({ state }) => state)).toEqual(["Idle", "Working", "Done"]);
  expect(lines.filter(({ type }) => type === "agent_end")).toHaveLength(1);
  expect(await linesOf("events", "last", "--as", "glasspane")).toEqual(lines);
  expect(await linesOf("replay", "last", "--as", "glasspane", "--speed", "0")).toEqual(lines);
  // What was printed before is known, and not printed again.
  const half = Math.floor(lines.length / 2);
  const sequence = (await linesOf("events", "last", "--json")).length >> 1;
  const later = await linesOf("events", "last", "--as", "glasspane", "--after", String(sequence));
  expect(lines.slice(-later.length)).toEqual(later);
  expect(later.length).toBeLessThan(lines.length);
  expect((await linesOf("events", "last", "--as", "glasspane", "--limit", String(half))).length).toBe(half);
  expect((await linesOf("events", "last", "--as", "zot")).at(-1)).toEqual({ type: "done" });
});

it("follows all runs as panes, shows those that are active, and says when one is silent", TIMEOUT, async () => {
  const { spoor, follow, task } = openPlace();
  const pane = await task("one ask");
  const tail = follow("--stalled-after", "2");
  await tail.until({ type: "pane", pane, state: "Blocked", needs_attention: true, waiting: 1 });
  await tail.until({ type: "pane", pane, stalled: true });
  await spoor(["approve", pane]);
  await tail.until({ type: "pane", pane, state: "Done", stalled: false, tools: [] });
  const calls = tail.lines.filter(({ type }) => String(type).startsWith("tool_execution_"));
  expect(calls.filter(({ type }) => type === "tool_execution_end")).toHaveLength(1);
  const other = await task("two");
  await tail.until({ type: "pane", pane: other, state: "Done" });
  expect(tail.lines.filter((line) => line.type === "session" && line.pane === other)).toHaveLength(1);
  expect(await tail.stop()).toBe(0);
});

it("begins with the selected panes as they were there, also in the past, and tells each event once", async () => {
  const place = createPlace("panes");
  onTestFinished(place.remove);
  const log = await openLog({ directory: place.data });
  onTestFinished(() => log.close());
  const begin = async (agent: string) => {
    const run_id = newRunId();
    const [, ...rest] = goldenDrafts("approval-approved");
    const first = goldenDrafts("approval-approved").slice(0, 1);
    await log.append([{ run_id, create: { agent, kind: "agent" }, drafts: first, facts: { status: "running" } }]);
    return { run_id, rest };
  };
  const { run_id, rest } = await begin("claude");
  await begin("codex");
  const after = log.lastPosition;
  const waits = rest.findIndex(({ type }) => type === "approval.requested") + 1;
  await log.append([{ run_id, epoch: 1, drafts: rest.slice(0, waits) }]);
  const follow = async (query: { after: number; agent: string }) => {
    let printed = "";
    const write = (text: string) => {
      printed += text;
      return true;
    };
    const { begin, piece } = translatedPrinter(log, { as: "glasspane", run: undefined }, {
      stdout: { write },
    } as never);
    await begin?.(query);
    for await (const one of readPieces(log, query)) await piece(one);
    const lines = printed.split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const past = await follow({ after, agent: "claude" });
  expect(past.filter(({ type }) => type === "pane").map(({ state }) => state)).toEqual(["Idle", "Working", "Blocked"]);
  expect(new Set(past.map(({ pane }) => pane))).toEqual(new Set([run_id]));
  expect(past.filter(({ type }) => type === "turn_start")).toHaveLength(1);
  const now = await follow({ after: log.lastPosition, agent: "claude" });
  expect(now).toMatchObject([{ type: "pane", pane: run_id, state: "Blocked" }]);
});

it("refuses what does not fit, with the reason", TIMEOUT, async () => {
  const { spoor } = openPlace();
  await spoor(["run", "claude", "hello", ...fakeCommand]);
  const refusals = [
    [["events", "last", "--as", "glasspane", "--json"], "--json and --as glasspane exclude each other"],
    [["tail", "last", "--as", "glasspane", "--type", "run.*"], "--type does not work with --as glasspane"],
    [["events", "last", "--as", "zot", "--granularity", "turn"], "--granularity does not work with --as zot"],
    [["events", "--as", "zot"], "--as zot needs a run"],
    [["tail", "last", "--stalled-after", "5m"], "--stalled-after needs --as glasspane"],
    [["events", "--as", "klingon"], "glasspane, zot"],
  ] as const;
  for (const [argv, reason] of refusals) {
    expect(await spoor(argv)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(reason) });
  }
});
