import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { problems } from "@spoor/protocol";
import { RunRecord } from "@spoor/protocol/api";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { run } from "../../../testing/cli/run.ts";
import { openLog } from "../../log/open.ts";
import { factsAfter } from "../../runtime/projections/run-facts.ts";
import { ownWorkerId } from "../../runtime/worker.ts";

const program = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "spoor-ls-"));
const data = join(folder, "data");
const WAITING = "run_01K9ZC0000SP00R00000001S01";
const SILENT = "run_01K9ZC0000SP00R00000001S02";
const GONE = "run_01K9ZC0000SP00R00000001S03";
afterAll(() => rmSync(folder, { recursive: true }));

const ls = (...argv: string[]) => run(["ls", ...argv, "--data", data]);
const listed = async (...argv: string[]): Promise<Record<string, unknown>[]> =>
  (await ls(...argv, "--json")).stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  vi.stubEnv("SPOOR_HOME", join(folder, "nothing"));
  const recorded = ["--data", data, "--cwd", folder, "--command", `"${process.execPath}" "${program}"`];
  expect((await run(["run", "claude", "Fix the login page", ...recorded])).code).toBe(0);
  const log = await openLog({ directory: data });
  const write = async (run_id: string, at: number, worker_id: string, events: [string, Record<string, unknown>][]) => {
    const opening: typeof events = [
      ["run.created", { kind: "agent", agent: "codex", model: "gpt-5", workspace_path: "/srv/app" }],
      ["run.started", { worker_id }],
    ];
    const drafts = [...opening, ...events].map(([type, each]) => ({
      type,
      timestamp: at,
      json: JSON.stringify(each),
    }));
    const facts = { title: "Deploy the shop", ...factsAfter({ kind: "agent" }, drafts) };
    await log.append([{ run_id, create: { agent: "codex", kind: "agent" }, epoch: 1, drafts, facts }]);
  };
  const turn: [string, Record<string, unknown>] = ["turn.started", { turn_index: 1, model: "gpt-5" }];
  await write(WAITING, Date.now(), ownWorkerId(), [
    turn,
    ["cost.tick", { cumulative_cost_micros_usd: 12_300, cost_source: "estimated" }],
    ["artifact.created", { kind: "patch", path: "a", status: "applied", additions: 4, deletions: 1 }],
    ["approval.requested", { approval_id: "appr_1", summary: "rm -rf dist" }],
  ]);
  await write(SILENT, Date.now() - 300_000, ownWorkerId(), [turn]);
  await write(GONE, Date.now(), ownWorkerId().replace(/\/\d+\//, "/999999999/"), [turn]);
  await log.close();
});

describe("spoor ls", () => {
  it("shows what each run does, waits for, changed and cost, without reading its events", async () => {
    const { code, stdout } = await ls();
    expect(code).toBe(0);
    const lineOf = (text: string) => stdout.split("\n").find((line) => line.includes(text));
    expect(stdout.split("\n")[0]).toBe("   RUN     AGENT   STATE         AGE    TIME  FILES    COST      ASKED");
    expect(lineOf("Fix the login page")).toMatch(
      /^✓ {2}\w{6} {2}claude +done +\d+ s +0:\d\d .* {2}Fix the login page$/,
    );
    expect(lineOf(WAITING.slice(-6))).toMatch(/^▲ .*codex +needs you +\d+ s .*1 \+4 -1 +\$0\.0123~ +Deploy the shop$/);
    expect(lineOf(SILENT.slice(-6))).toMatch(/^◌ .*silent 5 min/);
    expect(lineOf(GONE.slice(-6))).toMatch(/^✗ .*process gone/);
    expect(stdout).toMatch(/\n~ estimated\n$/);
  });

  it("says how many runs there are if it shows some of them, and only of all runs", async () => {
    expect((await ls("--limit", "2")).stdout).toMatch(
      /\n(~ estimated · )?2 of 4 · older: --before \w{6} · more: --limit 4\n$/,
    );
    expect((await ls("--limit", "1", "--agent", "codex")).stdout).not.toContain(" of ");
  });

  it("prints the same facts as JSON that fits the schema of the HTTP interface", async () => {
    const runs = await listed();
    expect(runs.flatMap((each) => [...problems(RunRecord, each)])).toEqual([]);
    expect(runs.find(({ run_id }) => run_id === WAITING)).toMatchObject({
      ...{ state: "blocked", status: "awaiting_approval", pending: 1, alive: true, now: expect.stringContaining("rm") },
      ...{ files_changed: 1, additions: 4, deletions: 1, cost_micros_usd: 12_300, cost_source: "estimated" },
      last_activity: expect.stringMatching(/Z$/),
    });
    expect(runs.find(({ run_id }) => run_id === SILENT)).toMatchObject({ alive: true, stalled: true });
    expect(runs.find(({ run_id }) => run_id === GONE)).toMatchObject({ alive: false });
    const done = runs.find(({ title }) => title === "Fix the login page");
    expect(done).toMatchObject({ state: "done", status: "completed" });
    expect(done).not.toHaveProperty("alive");
    expect(done).not.toHaveProperty("now");
  });

  it.each([
    [["login"], 1],
    [["LOGIN", "fix"], 1],
    [["login", "shop"], 0],
    [["--state", "blocked"], 1],
    [["--state", "done"], 1],
    [["--state", "working"], 2],
    [["--model", "gpt-5"], 3],
    [["--path", "/srv"], 3],
    [["--path", "/srv/ap"], 0],
    [["--path", folder], 1],
    [["--agent", "codex", "--status", "running"], 2],
  ])("finds runs by %j", async (argv, count) => {
    expect(await listed(...argv)).toHaveLength(count);
  });
});
