import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Envelope } from "@spoor/protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { createClient } from "../../client.ts";
import { openLogSync } from "../../log/open.ts";
import type { RunOptions } from "../../run/runner.ts";
import { prepareWorkspace } from "../workspace/modes.ts";

const agent = fileURLToPath(new URL("../../../testing/cli/programs/working-claude.mjs", import.meta.url));

/** A workspace, and a client that records there. Its agent plays steps and asks before its calls, so that it waits. */
function place(files: Record<string, string> = { "a.txt": "one\n" }) {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-changes-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const [work, data] = [path.join(home, "work"), path.join(home, "data")];
  for (const folder of [work, data]) mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(work, name), text);
  const log = openLogSync({ directory: data });
  onTestFinished(() => log.close());
  const client = createClient({ record: log, configDir: "/no/configuration", projectConfigDir: "/no/configuration" });
  const start = (steps: readonly object[], more: Partial<RunOptions> = {}) =>
    client.run({
      ...{ agent: "claude", prompt: JSON.stringify(steps), cwd: work, approve: "ask" },
      ...{ command: [process.execPath, agent], onApprovalRequest: async () => ({ approve: true }), ...more },
    });
  const play = async (steps: readonly object[], more: Partial<RunOptions> = {}) => {
    const run = start(steps, more);
    const result = await run;
    const events = await envelopesOf(log, run.recordId);
    const { runs } = await log.runs({ limit: 100 });
    expect(
      await findingsOf(
        log,
        runs.map(({ run_id }) => run_id),
      ),
    ).toEqual([]);
    return { result, events, patches: patchesOf(events) };
  };
  return { home, work, data, log, start, play };
}

const patchesOf = (events: readonly Envelope[]) =>
  events
    .filter(({ type }) => type === "artifact.created")
    .map(({ data }) => [data.path, data.tool_call_id, data.attribution]);

const shell = (id: string, command: string) => [
  { begin: id, tool: "Bash", input: { command } },
  { ask: id },
  { do: command },
  { end: id },
];

describe("the changes of a run", { timeout: 60_000 }, () => {
  it("are told once, by the call that made them", async () => {
    const { play, work } = place();
    const { patches } = await play([
      { begin: "c1", tool: "Write", input: { file_path: path.join(work, "a.txt"), content: "two" } },
      { ask: "c1" },
      { do: "printf 'two\\n' > a.txt" },
      { end: "c1" },
      ...shell("c2", "true"),
      ...shell("c3", "printf 'one\\n' > a.txt"),
    ]);
    expect(patches).toEqual([
      ["a.txt", "c1", "call"],
      ["a.txt", "c3", "call"],
    ]);
  });

  it("are found after each of a hundred calls in a row", async () => {
    const { play } = place();
    const { patches } = await play(
      Array.from({ length: 100 }, (_, n) => shell(`c${n}`, `echo ${n} > f${n % 7}.txt`)).flat(),
    );
    expect(patches).toEqual(Array.from({ length: 100 }, (_, n) => [`f${n % 7}.txt`, `c${n}`, "call"]));
  });

  it("belong to all of several calls that run at the same time", async () => {
    const { play } = place();
    const { events } = await play([
      { begin: "c1", tool: "Bash", input: { command: "1" } },
      { begin: "c2", tool: "Bash", input: { command: "2" }, same: true },
      { ask: "c1" },
      { do: "echo both > both.txt" },
      { end: "c1" },
      { ask: "c2" },
      { do: "echo late > late.txt" },
      { end: "c2" },
    ]);
    expect(events.filter(({ type }) => type === "artifact.created").map(({ data }) => data)).toMatchObject([
      { path: "both.txt", attribution: "shared", tool_call_id: "c1", tool_call_ids: ["c1", "c2"] },
      { path: "late.txt", attribution: "call", tool_call_id: "c2" },
    ]);
  });

  it("are from outside if they happen between calls, and have no other event", async () => {
    const { play } = place();
    const { patches, events } = await play([
      ...shell("c1", "echo 1 > one.txt"),
      // The answer to a question waits for the snapshot after the call before.
      { begin: "r1", tool: "Read", input: { file_path: "a.txt" } },
      { ask: "r1" },
      { do: "echo me > mine.txt; echo mine >> a.txt" },
      { end: "r1" },
      ...shell("c2", "echo 2 > two.txt; echo more >> a.txt"),
    ]);
    expect(patches).toEqual([
      ["one.txt", "c1", "call"],
      ["a.txt", undefined, "outside"],
      ["mine.txt", undefined, "outside"],
      ["a.txt", "c2", "call"],
      ["two.txt", "c2", "call"],
    ]);
    expect(events.filter(({ data }) => data.path === "mine.txt").map(({ type }) => type)).toEqual(["artifact.created"]);
  });

  it("of a file that its call names are told apart from those of others", async () => {
    const { play, work } = place({ ".gitignore": "*.env\n", "x.env": "a=1\n", "a.txt": "one\n" });
    const write = (id: string, name: string, command: string) => [
      { begin: id, tool: "Write", input: { file_path: path.join(work, name), content: "" } },
      { ask: id },
      { do: command },
      { end: id },
    ];
    const { patches } = await play([
      ...write("c1", "a.txt", "echo two > a.txt"),
      // The answer to a question waits until the changes of the call before are known.
      { begin: "r1", tool: "Read", input: { file_path: "a.txt" } },
      { ask: "r1" },
      { do: "echo three > a.txt" },
      { end: "r1" },
      ...write("c2", "a.txt", "echo four > a.txt"),
      ...write("c3", "x.env", "echo a=2 > x.env"),
      ...write("c4", "../elsewhere.txt", "true"),
    ]);
    expect(patches).toEqual([
      ["a.txt", "c1", "call"],
      ["a.txt", undefined, "outside"],
      ["a.txt", "c2", "call"],
      ["x.env", "c3", "call"],
    ]);
  });

  it("do not include files that were ignored until the call changed the rules", async () => {
    const { play } = place({ ".gitignore": "*.env\n", "x.env": "secret\n" });
    const { patches, events } = await play([
      ...shell("c1", "echo '*.log' > .gitignore; echo 1 > new.txt"),
      ...shell("c2", "echo 2 >> x.env"),
    ]);
    expect(patches).toEqual([
      [".gitignore", "c1", "call"],
      ["new.txt", "c1", "call"],
      ["x.env", "c2", "call"],
    ]);
    expect(events.some(({ data }) => `${data.message}`.startsWith("The rules about ignored files changed."))).toBe(
      true,
    );
  });

  it("of a refused call are not looked for", async () => {
    const { play } = place();
    const { patches } = await play(shell("c1", "true"), { onApprovalRequest: async () => ({ deny: true }) });
    expect(patches).toEqual([]);
  });

  it("of a call that never ends are told at the end of the run, and nothing keeps running", async () => {
    const { start, log, data } = place();
    const run = start([
      ...shell("c1", "true"),
      { begin: "c2", tool: "Bash", input: { command: "sleep 1" } },
      { ask: "c2" },
      { do: "echo 1 > late.txt" },
      { hang: true },
    ]);
    const work = path.join(path.dirname(data), "work");
    await vi.waitFor(() => expect(readdirSync(work)).toContain("late.txt"), { timeout: 30_000 });
    run.abort();
    await run;
    const events = await envelopesOf(log, run.recordId);
    expect(patchesOf(events)).toEqual([["late.txt", "c2", "call"]]);
    expect(await findingsOf(log, [run.recordId])).toEqual([]);
  });

  it("are found in a worktree that Spoor made, although it lies in Spoor's data", async () => {
    const { play, work, data } = place();
    for (const args of [
      ["init", "-q"],
      ["add", "-A"],
      ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"],
    ]) {
      execFileSync("git", args, { cwd: work, stdio: "ignore" });
    }
    const { path: cwd } = await prepareWorkspace({ mode: "worktree", path: work }, "run_1", data);
    const { patches, events } = await play(shell("c1", "echo two >> a.txt"), { cwd });
    expect(events.find(({ type }) => type === "run.started")?.data).toMatchObject({ snapshots: "git" });
    expect(patches).toEqual([["a.txt", "c1", "call"]]);
  });

  it("are found without git by a scan", async () => {
    const { play, work } = place({ "a.txt": "one\n", "b.txt": "1\n" });
    const folder = path.join(work, "..", "bin");
    mkdirSync(folder);
    vi.stubEnv("PATH", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    writeFileSync(path.join(folder, "sh"), '#!/bin/sh\nexec /bin/sh "$@"\n');
    chmodSync(path.join(folder, "sh"), 0o755);
    const { patches, events } = await play(
      [
        { begin: "c1", tool: "Bash", input: {} },
        { ask: "c1" },
        { do: "echo two >> a.txt; /bin/rm b.txt; echo 1 > c.txt" },
        { end: "c1" },
      ],
      { environment: process.env },
    );
    expect(events.find(({ type }) => type === "run.started")?.data).toMatchObject({ snapshots: "scan" });
    expect(patches).toEqual([
      ["a.txt", "c1", "call"],
      ["b.txt", "c1", "call"],
      ["c.txt", "c1", "call"],
    ]);
  });

  it("cannot be found where snapshots fail, which is told, and the run goes on", async () => {
    const { play, data } = place();
    writeFileSync(path.join(data, "workspaces"), "a file in the way");
    const { result, events, patches } = await play(shell("c1", "echo 1 > one.txt"));
    expect([result.exitReason, patches]).toEqual(["completed", []]);
    expect(
      events.filter(({ type }) => type === "debug.message").map(({ data: { message } }) => message),
    ).toContainEqual(expect.stringContaining("Changes of files are no longer looked for"));
  });
});
