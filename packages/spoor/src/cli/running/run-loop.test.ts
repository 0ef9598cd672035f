import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { bin, createPlace, hasTerminal } from "../../../testing/cli/process.ts";

function place(name: string) {
  const created = createPlace(name);
  onTestFinished(created.remove);
  return created;
}

const tour = ["run", "loop", "Write a greeting.", "--model", "demo/tour", "--sandbox", "none"];

interface Line {
  run_id: string;
  type: string;
  data: Record<string, unknown>;
}

const linesOf = (stdout: string): Line[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

test("spoor run loop makes a task, performs its run and prints the stored events, its subagents' too", async () => {
  const { spoor, home } = place("loop");
  const { code, stdout, stderr } = await spoor([...tour, "--approve", "auto", "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  const lines = linesOf(stdout);
  const own = lines.filter(({ run_id }) => run_id === lines[0]?.run_id);
  expect(own[0]).toMatchObject({
    type: "run.created",
    data: { kind: "agent_loop", agent: "loop", model: "demo/tour" },
  });
  expect(own.find(({ type }) => type === "run.started")?.data).toMatchObject({ executor: "cli" });
  expect(own.at(-2)?.type).toBe("run.finished");
  expect(new Set(lines.map(({ run_id }) => run_id)).size).toBe(2);
  expect(readFileSync(path.join(home, "greet.sh"), "utf8")).toContain("world");
  const listed = await spoor(["ls"]);
  expect(listed.stdout).toMatch(/loop +done .*2 \+\d+ -\d+ +\$0\.\d+~ +Write a greeting\./);
  const next = await spoor(["run", "loop", "Go on.", "--resume", own[0]?.run_id ?? "", "--json"]);
  expect(next.code).toBe(0);
  expect(linesOf(next.stdout).map(({ type }) => type)).toContain("session.resumed");
});

test("a question that nobody can answer ends the run with exit code 17", async () => {
  const { spoor, home } = place("loop-headless");
  const { code, stdout, stderr } = await spoor(tour);
  expect(code).toBe(17);
  expect(stdout).toContain("● Write greet.sh");
  expect(stderr).toContain("Nobody can be asked: standard input is not a terminal.");
  expect(existsSync(path.join(home, "greet.sh"))).toBe(false);
});

test("a missing model, a missing key and flags of other agents are refused before anything is recorded", async () => {
  const { spoor, data } = place("loop-refused");
  const refusals = await Promise.all(
    [
      ["run", "loop", "x"],
      ["run", "loop", "x", "--model", "anthropic/claude-sonnet-4-5"],
      ["run", "loop", "x", "--model", "demo/tour", "--queue", "y"],
      ["run", "loop", "x", "--model", "demo/tour", "--command", "z"],
      ["run", "loop", "x", "--model", "anthropic/claude-sonnet-4-5", "--detach"],
      ["run", "loop", "x", "--model", "demo/nothing"],
    ].map((argv) => spoor(argv)),
  );
  expect(refusals.map(({ code }) => code)).toEqual([2, 5, 2, 6, 5, 2]);
  expect(refusals[0]?.stderr).toContain("--model is missing");
  for (const index of [1, 4]) expect(refusals[index]?.stderr).toContain("Set ANTHROPIC_API_KEY");
  expect(refusals[2]?.stderr).toContain("`spoor continue`");
  const { stdout } = await spoor(["ls", "--json", "--data", data]);
  expect(stdout).toBe("");
});

test("--no-record keeps neither a log nor the temporary one that the loop needs while it works", async () => {
  const { spoor, home, data } = place("loop-unrecorded");
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith("spoor-unrecorded-"));
  const { code, stdout, stderr } = await spoor([...tour, "--approve", "auto", "--no-record"]);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^✓ Done in [^\n]*\n$/)]);
  expect(stdout).toContain("`greet.sh` now greets the world");
  expect(existsSync(path.join(home, "greet.sh"))).toBe(true);
  expect(existsSync(path.join(data, "spoor.db"))).toBe(false);
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith("spoor-unrecorded-"));
  expect(left.filter((name) => !before.includes(name))).toEqual([]);
});

test("a detached run goes on in a process of its own after another terminal has answered", async () => {
  const { spoor } = place("loop-detached");
  const { stdout } = await spoor([...tour, "--detach", "--json"]);
  const { run_id } = JSON.parse(stdout) as { run_id: string };
  const status = async () => JSON.parse((await spoor(["show", run_id, "--json"])).stdout).run.status as string;
  for (let answered = 0; (await status()) !== "completed"; ) {
    const { stdout: open } = await spoor(["approvals", "--json"]);
    const ids = [...open.matchAll(/"approval_id":\s*"(appr_\w+)"/g)].map(([, id]) => id as string);
    for (const id of ids) answered += (await spoor(["approve", id])).code === 0 ? 1 : 0;
    expect(answered).toBeLessThan(10);
  }
}, 60_000);

test("a detached run that was paused goes on in a process of its own", async () => {
  const { spoor } = place("loop-paused");
  const { stdout } = await spoor([...tour, "--approve", "auto", "--detach", "--json"]);
  const { run_id } = JSON.parse(stdout) as { run_id: string };
  const run = async () => JSON.parse((await spoor(["show", run_id, "--json"])).stdout).run;
  expect((await spoor(["pause", run_id])).stdout).toContain("is done");
  expect(await run()).toMatchObject({ status: "queued", paused: true });
  expect((await spoor(["unpause", run_id])).stdout).toContain("is done");
  await vi.waitFor(async () => expect(await run()).toMatchObject({ status: "completed" }), { timeout: 40_000 });
}, 60_000);

test.skipIf(!hasTerminal)(
  "a person at the terminal is asked, and Ctrl-C cancels the run",
  async () => {
    const { home, data } = place("loop-terminal");
    const words = [process.execPath, bin, ...tour].map((word) => `'${word}'`).join(" ");
    const env = { PATH: process.env.PATH, HOME: home, SPOOR_HOME: data };
    const start = () =>
      spawn("script", ["-qec", words, "/dev/null"], { cwd: home, env, stdio: ["pipe", "pipe", "pipe"] });
    const child = start();
    let seen = "";
    let answered = 0;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      seen += text;
      const asked = seen.split("what led here ›").length - 1;
      // The third question is about the command; the person has had enough. Keys count after half a second.
      if (asked > answered) {
        answered = asked;
        setTimeout(() => child.stdin.write(answered < 3 ? "y" : "\u0003"), 700);
      }
    });
    const [code] = await once(child, "close");
    expect(seen).toContain("+#!/bin/sh");
    expect(seen).toContain("Write");
    expect(code).toBe(130);
  },
  60_000,
);
