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

const leaveBehind = (how: "inherit" | "ignore" | "escape", behaviour: string, options = {}) =>
  start("leave-behind", [how, program("holder"), behaviour], { lingerMs: 100, ...options });

describe("a descendant that outlives its process", () => {
  it("does not delay the end by holding the pipes, and its output is delivered", async () => {
    const { stdout, end } = await play(leaveBehind("inherit", "stubborn"));
    expect(end).toEqual({ code: 0, signal: null });
    expect(stdout).toContain("from the one behind");
    await allGone(pidsIn(stdout));
  });

  it("may write more output before it exits", async () => {
    const { stdout } = await play(leaveBehind("inherit", "late", { lingerMs: LONG }));
    expect(stdout).toContain("late words");
  });

  it("is killed even if it holds no pipe and ignores SIGTERM", async () => {
    const { stdout, end } = await play(leaveBehind("ignore", "stubborn"));
    expect(end.code).toBe(0);
    await allGone(pidsIn(stdout));
  });

  it("receives SIGTERM first, and the end comes as soon as it exits", async () => {
    const { stdout, end } = await play(leaveBehind("ignore", "mild", { lingerMs: LONG }));
    expect(end.code).toBe(0);
    await allGone(pidsIn(stdout));
  });

  it("receives SIGTERM only once, and has time to clean up", async () => {
    const file = path.join(folder, "clean");
    const handle = start("careless", ["same", program("holder"), "cleaning", file], { lingerMs: LONG });
    const pid = Number(await nextLine(handle));
    handle.terminate();
    expect((await handle.exited).signal).toBe("SIGTERM");
    expect(existsSync(file)).toBe(true);
    await allGone([pid]);
  });

  it("is ended even if it runs in its own session", async () => {
    const handle = start("careless", ["own session", program("holder"), "stubborn"], { lingerMs: 100 });
    const pid = Number(await nextLine(handle));
    handle.terminate();
    expect((await handle.exited).signal).toBe("SIGTERM");
    await allGone([pid]);
  });

  it("does not delay the end by output that nobody reads", async () => {
    const handle = leaveBehind("inherit", "flooding", { maxBufferedBytes: 10_000 });
    const first = await nextLine(handle);
    expect(await handle.exited).toEqual({ code: 0, signal: null });
    const { stdout } = await play(handle);
    await allGone(pidsIn([first ?? "", ...stdout]));
  });

  it("does not delay the end even if it cannot be found", async () => {
    const { stdout, end } = await play(leaveBehind("escape", "stubborn"));
    const [pid = 0] = pidsIn(stdout);
    process.kill(pid, "SIGKILL");
    expect(end.code).toBe(0);
    expect(stdout).toContain("from the one behind");
    await allGone([pid]);
  });
});

const pidsIn = (lines: string[]): number[] => lines.filter((line) => /^\d+$/.test(line)).map(Number);
