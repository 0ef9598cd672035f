import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { allGone } from "../../testing/process/pids.ts";
import { program } from "../../testing/process/program.ts";
import { nextLine, play, start } from "../../testing/process/start.ts";

const LONG = 60_000;
const folder = mkdtempSync(path.join(tmpdir(), "spoor-settle-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const leaveBehind = (how: "inherit" | "ignore" | "escape", temper: string, options = {}) =>
  start("leave-behind", [how, program("holder"), temper], { lingerMs: 100, ...options });

describe("what a process leaves behind when it exits", () => {
  it("does not hold up the end by holding the pipes, and what it wrote is there", async () => {
    const { stdout, end } = await play(leaveBehind("inherit", "stubborn"));
    expect(end).toEqual({ code: 0, signal: null });
    expect(stdout).toContain("from the one behind");
    await allGone(pidsIn(stdout));
  });

  it("may say what it has to say before it goes", async () => {
    const { stdout } = await play(leaveBehind("inherit", "late", { lingerMs: LONG }));
    expect(stdout).toContain("late words");
  });

  it("is killed though it holds no pipe and ignores SIGTERM", async () => {
    const { stdout, end } = await play(leaveBehind("ignore", "stubborn"));
    expect(end.code).toBe(0);
    await allGone(pidsIn(stdout));
  });

  it("is asked first, and the end comes as soon as it goes", async () => {
    const { stdout, end } = await play(leaveBehind("ignore", "mild", { lingerMs: LONG }));
    expect(end.code).toBe(0);
    await allGone(pidsIn(stdout));
  });

  it("is asked only once, and has time to clean up", async () => {
    const file = path.join(folder, "clean");
    const handle = start("careless", ["same", program("holder"), "cleaning", file], { lingerMs: LONG });
    const pid = Number(await nextLine(handle));
    handle.terminate();
    expect((await handle.exited).signal).toBe("SIGTERM");
    expect(existsSync(file)).toBe(true);
    await allGone([pid]);
  });

  it("is not forgotten when it lives in a session of its own", async () => {
    const handle = start("careless", ["own session", program("holder"), "stubborn"], { lingerMs: 100 });
    const pid = Number(await nextLine(handle));
    handle.terminate();
    expect((await handle.exited).signal).toBe("SIGTERM");
    await allGone([pid]);
  });

  it("does not hold up the end by a flood nobody reads", async () => {
    const handle = leaveBehind("inherit", "flooding", { maxBufferedBytes: 10_000 });
    const first = await nextLine(handle);
    expect(await handle.exited).toEqual({ code: 0, signal: null });
    const { stdout } = await play(handle);
    await allGone(pidsIn([first ?? "", ...stdout]));
  });

  it("cannot hold up the end from out of reach either", async () => {
    const { stdout, end } = await play(leaveBehind("escape", "stubborn"));
    const [pid = 0] = pidsIn(stdout);
    process.kill(pid, "SIGKILL");
    expect(end.code).toBe(0);
    expect(stdout).toContain("from the one behind");
    await allGone([pid]);
  });
});

const pidsIn = (lines: string[]): number[] => lines.filter((line) => /^\d+$/.test(line)).map(Number);
