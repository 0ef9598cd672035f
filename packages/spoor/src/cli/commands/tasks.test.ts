import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPlace, fakeClaude, fakeCommand } from "../../../testing/cli/process.ts";
import { firstLine } from "../../../testing/process/first-line.ts";
import { untilStatus } from "../../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { startServer } from "../../../testing/server/server-process.ts";
import { openLog } from "../../log/open.ts";

const TIMEOUT = { timeout: 120_000 };

async function place() {
  const made = createPlace("tasks");
  const log = await openLog({ directory: made.data });
  onTestFinished(async () => {
    await log.close();
    made.remove();
  });
  return { ...made, log };
}

describe("tasks on the command line", TIMEOUT, () => {
  it("are created, listed, shown, started, repeated and deleted, without a server", async () => {
    const { spoor, log } = await place();
    const created = await spoor(["task", "new", "shell", "echo hello", "--title", "greet", "--json"]);
    const { task_id } = JSON.parse(created.stdout);
    expect(JSON.parse(created.stdout)).toMatchObject({ status: "not_started", kind: "shell", title: "greet" });
    expect((await spoor(["task", "ls"])).stdout).toContain("not_started");
    const started = await spoor(["start", "last", "--json"]);
    const { run_id } = JSON.parse(started.stdout);
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed", task_id });
    expect((await spoor(["task", "show", task_id])).stdout).toContain(run_id);
    const retried = JSON.parse((await spoor(["retry", run_id, "--reason", "again", "--json"])).stdout);
    expect(await untilStatus(log, retried.run_id)).toMatchObject({ status: "completed", prior_run_id: run_id });
    expect(await findingsOf(log, [run_id, retried.run_id])).toEqual([]);
    expect(await spoor(["continue", run_id, "more"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no conversation"),
    });
    expect(await spoor(["task", "rm", task_id])).toMatchObject({ code: 0 });
    expect(await spoor(["start", task_id])).toMatchObject({ code: 1 });
    expect(await spoor(["task", "new", "cook", "soup"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("agent"),
    });
  });

  it("a new run is performed although another one has waited longer for a server", async () => {
    const { spoor, log, data } = await place();
    const server = await startServer(data, { workers: 0 });
    const shell = (command: string) => ["task", "new", "shell", command, "--share", "--start", "--json"];
    const { run_id: left } = JSON.parse((await spoor(shell("echo left"))).stdout);
    await server.stop();
    const { run_id } = JSON.parse((await spoor(shell("echo new"))).stdout);
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
    expect(await log.run(left)).toMatchObject({ status: "queued" });
  });

  it("an agent runs detached and survives the command, and its session is continued", async () => {
    const { spoor, log } = await place();
    const detached = await spoor(["run", "claude", "hello", ...fakeCommand, "--detach", "--json"]);
    const { run_id } = JSON.parse(detached.stdout);
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed", executor: "process" });
    const next = JSON.parse((await spoor(["continue", run_id, "argv", "--json"])).stdout);
    expect(await untilStatus(log, next.run_id)).toMatchObject({ status: "completed", prior_run_id: run_id });
    const fork = JSON.parse((await spoor(["fork", next.run_id, "argv", "--json"])).stdout);
    expect(await untilStatus(log, fork.run_id)).toMatchObject({ status: "completed" });
    expect(await findingsOf(log, [run_id, next.run_id, fork.run_id])).toEqual([]);
    expect(await spoor(["run", "claude", "x", "--detach", "--no-record"])).toMatchObject({ code: 2 });
  });

  it("a run of a plain `spoor run` can be retried, and then belongs to a task that can be started", async () => {
    const { spoor, log, data } = await place();
    writeFileSync(path.join(data, "config.json"), JSON.stringify({ command: [process.execPath, fakeClaude] }));
    await spoor(["run", "claude", "hello"]);
    const first = (await log.runs({ limit: 1 })).runs[0];
    const next = JSON.parse((await spoor(["continue", "last", "argv", "--json"])).stdout);
    expect(await untilStatus(log, next.run_id)).toMatchObject({ status: "completed", title: "argv" });
    // What it was asked itself is repeated, not what the run that continued it was asked.
    const retried = JSON.parse((await spoor(["retry", first?.run_id ?? "", "--json"])).stdout);
    const own = { title: "hello", task_id: first?.task_id };
    expect(await untilStatus(log, retried.run_id)).toMatchObject({ status: "completed", ...own });
    const started = JSON.parse((await spoor(["start", first?.task_id ?? "", "--json"])).stdout);
    expect(await untilStatus(log, started.run_id)).toMatchObject({ status: "completed", prior_run_id: retried.run_id });
  });

  it("a run with a program of its own is repeated, continued and forked with that program", async () => {
    const { spoor, log } = await place();
    await spoor(["run", "claude", "hello", ...fakeCommand]);
    const [first] = (await log.runs({ limit: 1 })).runs;
    const run_id = first?.run_id ?? "";
    const [created] = await envelopesOf(log, run_id);
    expect(created?.data).toMatchObject({ agent_command: [process.execPath, fakeClaude] });
    for (const words of [
      ["retry", run_id],
      ["continue", run_id, "argv"],
      ["fork", run_id, "argv"],
    ]) {
      const next = JSON.parse((await spoor([...words, "--json"])).stdout);
      expect(await untilStatus(log, next.run_id)).toMatchObject({ status: "completed", prior_run_id: run_id });
      expect(await findingsOf(log, [run_id, next.run_id])).toEqual([]);
    }
  });

  it("a program whose arguments hold a secret is recorded without it, and the run is not repeated with another one", async () => {
    const { spoor, log } = await place();
    const secret = "ghp_AbCdEf0123456789AbCdEf0123456789AbCd";
    const [flag = "", line = ""] = fakeCommand;
    for (const words of [`--token ${secret}`, "--password hunter2hunter2"]) {
      await spoor(["run", "claude", "hello", flag, `${line} ${words}`]);
      const [run] = (await log.runs({ limit: 1 })).runs;
      const stored = JSON.stringify(await envelopesOf(log, run?.run_id ?? ""));
      expect(stored).not.toMatch(/ghp_AbC|hunter2hunter2/);
      expect(await spoor(["retry", run?.run_id ?? ""])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/The command of run_\w+ held a secret, which was not recorded/),
      });
    }
  });
});

describe("a server with workers", TIMEOUT, () => {
  it("that is killed leaves its agent at work; the run ends completely, and the next server lists it", async () => {
    const { start, spoor, data, log } = await place();
    const serve = async () => {
      const child = start(["serve", "--port", "0", "--json"]);
      onTestFinished(() => void child.kill("SIGKILL"));
      const { url } = JSON.parse(await firstLine(child.stdout)) as { url: string };
      const token = readFileSync(path.join(data, "token"), "utf8").trim();
      const get = async (target: string) =>
        (await (await fetch(url + target, { headers: { authorization: `Bearer ${token}` } })).json()) as {
          data: { status: string };
        };
      return { child, get };
    };
    const first = await serve();
    const { run_id } = JSON.parse(
      (await spoor(["run", "claude", "hang", ...fakeCommand, "--detach", "--json"])).stdout,
    );
    const typesOf = async () => (await envelopesOf(log, run_id)).map(({ type }) => type);
    while (!(await typesOf()).includes("assistant.text_complete"))
      await new Promise((resolve) => setTimeout(resolve, 20));
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const second = await serve();
    expect((await second.get(`/v1/runs/${run_id}`)).data).toMatchObject({ status: "running" });
    const cancelled = await spoor(["cancel", run_id]);
    expect(cancelled.stderr).toBe("");
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "cancelled" });
    expect((await typesOf()).slice(-3)).toEqual(["session.ended", "run.cancelled", "task.updated"]);
    expect(await findingsOf(log, [run_id])).toEqual([]);
    second.child.kill("SIGTERM");
    await once(second.child, "exit");
  });
});
