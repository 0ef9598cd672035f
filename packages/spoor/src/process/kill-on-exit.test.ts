import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { allGone, isRunning } from "../../testing/process/pids.ts";
import { program } from "../../testing/process/program.ts";
import { start } from "../../testing/process/start.ts";
import { lines } from "./lines.ts";

describe("when this process ends, the whole tree of a child ends with it", () => {
  it.for<[how: string, mode: string, signal: NodeJS.Signals | undefined, end: [number | null, string | null]]>([
    ["process.exit", "exit", undefined, [3, null]],
    ["an uncaught exception", "throw", undefined, [1, null]],
    ["an unhandled rejection", "reject", undefined, [1, null]],
    ["SIGINT", "stay", "SIGINT", [null, "SIGINT"]],
    ["SIGTERM", "stay", "SIGTERM", [null, "SIGTERM"]],
    ["SIGHUP", "stay", "SIGHUP", [null, "SIGHUP"]],
    ["process.exit in a handler of SIGTERM", "exit in a handler", "SIGTERM", [5, null]],
  ])("by %s", async ([, mode, signal, end]) => {
    const { owner, pids } = await own(mode, "3", program("tree"), "3");
    if (signal !== undefined) {
      expect(pids.map(isRunning)).toEqual([true, true, true]);
      owner.kill(signal);
    }
    expect(await owner.ended).toEqual(end);
    await allGone(pids);
  });
});

it("a signal that the program listens for itself kills no children", async () => {
  const { owner, pids } = await own("listen and stay", "3", program("tree"), "3");
  for (let n = 0; n < 2; n += 1) {
    owner.kill("SIGTERM");
    expect((await owner.printed.next()).value).toBe("heard");
  }
  expect(pids.map(isRunning)).toEqual([true, true, true]);
  owner.kill("SIGINT");
  expect(await owner.ended).toEqual([null, "SIGINT"]);
  await allGone(pids);
});

it("after SIGKILL, a child that reads its input sees the end of its input", async () => {
  const { owner, pids } = await own("stay", "1", "-e", "console.log(process.pid); process.stdin.resume();");
  owner.kill("SIGKILL");
  await allGone(pids);
});

it("listeners exist only while there is a child, one set for all children", async () => {
  const events = ["exit", "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
  const counts = () => events.map((event) => process.listenerCount(event));
  const before = counts();
  const first = start("silent");
  const second = start("silent");
  expect(counts()).toEqual(before.map((count) => count + 1));
  first.kill();
  await first.exited;
  expect(counts()).toEqual(before.map((count) => count + 1));
  second.kill();
  await second.exited;
  expect(counts()).toEqual(before);
});

/** Starts a program that owns a child with plain `spawn`, so that only the program itself can end its child. */
async function own(mode: string, ...args: string[]) {
  const file = path.join(import.meta.dirname, "../../testing/process/owner.ts");
  const child = spawn(process.execPath, [file, mode, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "exit");
  const printed = lines(child.stdout);
  const { value } = await printed.next();
  const pids: number[] = JSON.parse(value ?? "[]");
  onTestFinished(() => {
    for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL");
  });
  return { owner: { kill: (signal: NodeJS.Signals) => child.kill(signal), ended, printed }, pids };
}
