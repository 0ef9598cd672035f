import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendGolden, goldenDrafts } from "../../../testing/cli/logs.ts";
import { createPlace, fakeCommand } from "../../../testing/cli/process.ts";
import { openLogSync } from "../../log/open.ts";

const place = createPlace("ids");
const FIRST = "run_01M7AAAA000000000000000QX7";
const SECOND = "run_01M7AABB000000000000000PX7";
const tasks: string[] = [];

beforeAll(async () => {
  const log = openLogSync({ directory: place.data });
  for (const run_id of [FIRST, SECOND]) {
    await appendGolden(log, "success", { run_id });
    tasks.push((await log.run(run_id))?.task_id ?? "");
  }
  await log.close();
  const folder = path.join(place.home, ".claude/projects/p");
  mkdirSync(folder, { recursive: true });
  for (const [id, time] of [
    ["aaaa-1111-ffff", "2026-11-01T10:00:00Z"],
    ["aabb-2222-ffff", "2026-11-02T10:00:00Z"],
  ] as const) {
    const entry = { type: "user", cwd: place.home, timestamp: time, message: { content: `About ${id}` } };
    const file = path.join(folder, `${id}.jsonl`);
    writeFileSync(file, `${JSON.stringify(entry)}\n`);
    utimesSync(file, new Date(time), new Date(time));
  }
});
afterAll(() => place.remove());

describe("a run", { timeout: 120_000 }, () => {
  it.each([FIRST, FIRST.slice(0, 12), FIRST.slice(4, 12), FIRST.slice(-3), "qx7", "01m7aaa"])(
    "is found by %s",
    async (part) => {
      const { code, stdout } = await place.spoor(["show", part, "--json"]);
      expect(code).toBe(0);
      expect(JSON.parse(stdout).run.run_id).toBe(FIRST);
    },
  );

  it.each([["01M7"], ["x7"], ["run_"]])(
    "is not chosen by %s, which matches several: the command lists them",
    async (part) => {
      const { code, stdout, stderr } = await place.spoor(["show", part]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`"${part}" matches 2 runs:\n  ${SECOND}  claude  completed`);
      expect(stderr).toContain(FIRST);
    },
  );

  it.each([
    [["show", "x7"]],
    [["tail", "x7"]],
    [["events", "x7"]],
    [["events", "--run", "x7"]],
    [["replay", "x7"]],
    [["export", "x7"]],
    [["verify", "x7"]],
    [["renormalize", "x7"]],
  ])("is found in the same way by %j", async (argv) => {
    expect((await place.spoor(argv)).stderr).toContain('"x7" matches 2 runs:');
    const exact = argv.map((word) => (word === "x7" ? "nosuchrun" : word));
    expect(await place.spoor(exact)).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no run") });
  });

  it("named last is not the run of a subagent, even if that is newer", async () => {
    const log = openLogSync({ directory: place.data });
    const run_id = "run_01M7AACC000000000000000RX9";
    const create = { agent: "claude", kind: "agent", task_id: tasks[1] ?? "" };
    const facts = { status: "completed" as const, parent_run_id: SECOND };
    await log.append([{ run_id, create, drafts: goldenDrafts("success"), facts }]);
    await log.close();
    for (const argv of [
      ["show", "last", "--json"],
      ["show", "--json"],
    ]) {
      expect(JSON.parse((await place.spoor(argv)).stdout).run.run_id).toBe(SECOND);
    }
    expect((await place.spoor(["ls", "--all", "--full"])).stdout).toContain(run_id);
    expect((await place.spoor(["ls", "--full"])).stdout).not.toContain(run_id);
    expect((await place.spoor(["ls"])).stdout).toContain("(+1 subagent)");
  });

  it("must not be named twice", async () => {
    expect(await place.spoor(["events", "last", "--run", FIRST])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Name one."),
    });
  });
});

describe("a task", { timeout: 120_000 }, () => {
  it("is found by a part of its id, or as the last one", async () => {
    for (const part of [tasks[0] ?? "", tasks[0]?.slice(-6) ?? ""]) {
      const { stdout } = await place.spoor(["ls", "--task", part, "--json"]);
      expect(JSON.parse(stdout).run_id).toBe(FIRST);
    }
    const { stdout } = await place.spoor(["events", "--task", "last", "--limit", "1", "--json"]);
    expect(JSON.parse(stdout).run_id).toBe(SECOND);
    expect((await place.spoor(["ls", "--task", "task_0"])).stderr).toContain('"task_0" matches 2 tasks:');
    expect((await place.spoor(["tail", "--task", "nosuch"])).stderr).toContain('There is no task "nosuch".');
  });

  it("is found by a part of its id when a run is recorded", async () => {
    const part = tasks[1]?.slice(-8) ?? "";
    const { code, stderr } = await place.spoor(["run", "claude", "hello", "--task", part, ...fakeCommand]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { stdout } = await place.spoor(["ls", "--task", tasks[1] ?? "", "--json"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
  });
});

describe("a session of an agent", { timeout: 120_000 }, () => {
  it.each(["aabb-2222-ffff", "aabb", "AABB-2", "claude:aabb", "last", "claude:last"])(
    "is found by %s",
    async (part) => {
      const { stdout } = await place.spoor(["sessions", "show", part, "--json"]);
      expect(JSON.parse(stdout).native_id).toBe("aabb-2222-ffff");
    },
  );

  it("with an ambiguous name is refused with a list of those that match", async () => {
    const { code, stderr } = await place.spoor(["sessions", "show", "aa"]);
    expect(code).toBe(2);
    expect(stderr).toContain('"aa" matches 2 sessions:\n');
    expect(stderr).toContain("  claude:aaaa-1111-ffff\n");
    expect((await place.spoor(["resume", "ffff", "go on"])).stderr).toContain('"ffff" matches 2 sessions');
    expect((await place.spoor(["run", "claude", "x", "--resume", "ffff"])).stderr).toContain("matches 2 sessions");
  });

  it("is resumed by spoor run --resume, and an unknown one is passed to the agent unchanged", async () => {
    const resumed = async (part: string) =>
      (await place.spoor(["run", "claude", "argv", "--resume", part, "--no-record", ...fakeCommand])).stdout;
    expect(await resumed("aaaa")).toContain("--resume aaaa-1111-ffff");
    expect(await resumed("last")).toContain("--resume aabb-2222-ffff");
    expect(await resumed("elsewhere")).toContain("--resume elsewhere");
  });
});
