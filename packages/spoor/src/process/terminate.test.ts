import { describe, expect, it } from "vitest";
import { allGone, stateOf, until } from "../../testing/process/pids.ts";
import { nextLine, play, start } from "../../testing/process/start.ts";

const LONG = 60_000;

describe("a running process", () => {
  it("exits by itself on SIGTERM, and its last output is delivered", async () => {
    const handle = start("polite", [], { gracePeriodMs: LONG });
    expect(await nextLine(handle)).toBe("ready");
    expect([handle.terminate(), handle.terminate()]).toEqual([true, true]);
    const { stdout, end } = await play(handle);
    expect({ stdout, end }).toEqual({ stdout: ["cleaning", "clean"], end: { code: 0, signal: null } });
  });

  it("is killed after the grace period if it ignores SIGTERM", async () => {
    const handle = start("stubborn", [], { gracePeriodMs: 50 });
    await nextLine(handle);
    handle.terminate();
    expect(await handle.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("can be interrupted and continue", async () => {
    const handle = start("polite");
    await nextLine(handle);
    expect(handle.interrupt()).toBe(true);
    expect(await nextLine(handle)).toBe("interrupted");
    handle.interrupt();
    expect(await nextLine(handle)).toBe("interrupted");
    handle.kill();
    expect(await handle.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("is gone after kill even if it writes without end", async () => {
    const handle = start("flood", ["1", "endless", "100"]);
    await nextLine(handle);
    handle.kill();
    expect(await handle.exited).toEqual({ code: null, signal: "SIGKILL" });
    await allGone([Number(handle.pid)]);
  });

  it("is terminated when its signal is aborted", async () => {
    const stop = new AbortController();
    const handle = start("polite", [], { signal: stop.signal, gracePeriodMs: LONG });
    await nextLine(handle);
    stop.abort();
    expect((await play(handle)).stdout).toEqual(["cleaning", "clean"]);
  });

  it("does not start when its signal is already aborted", async () => {
    const { pid, exited } = start("silent", [], { signal: AbortSignal.abort() });
    expect(pid).toBeUndefined();
    expect((await exited).error?.message).toMatch(/already aborted/);
  });

  it("does nothing while it is paused, and continues after resume", async () => {
    const handle = start("tick", [], { gracePeriodMs: LONG });
    await nextLine(handle);
    expect(handle.pause()).toBe(true);
    await until(() => stateOf(handle.pid) === "T");
    expect(handle.resume()).toBe(true);
    await until(() => stateOf(handle.pid) !== "T");
    await nextLine(handle);
  });

  it("is resumed by terminate when it is paused", async () => {
    const handle = start("polite", [], { gracePeriodMs: LONG });
    await nextLine(handle);
    handle.pause();
    await until(() => stateOf(handle.pid) === "T");
    handle.terminate();
    expect((await play(handle)).stdout).toEqual(["cleaning", "clean"]);
  });

  it("returns false from every control after it has exited", async () => {
    const handle = start("half-line");
    await handle.exited;
    const { interrupt, terminate, kill, pause, resume } = handle;
    expect([interrupt(), terminate(), kill(), pause(), resume()]).toEqual([false, false, false, false, false]);
  });
});

describe("the tree of a process", () => {
  const grow = async (options = {}) => {
    const handle = start("tree", ["3"], { lingerMs: 100, ...options });
    const pids: number[] = [];
    while (pids.length < 3) pids.push(Number(await nextLine(handle)));
    return { handle, pids };
  };

  it("is killed with the process, three levels deep and in its own session", async () => {
    const { handle, pids } = await grow();
    handle.kill();
    await handle.exited;
    await allGone(pids);
  });

  it("is killed after the grace period", async () => {
    const { handle, pids } = await grow({ gracePeriodMs: 50 });
    handle.terminate();
    expect((await handle.exited).signal).toBe("SIGKILL");
    await allGone(pids);
  });

  it("is paused as a whole, and is killed while paused", async () => {
    const { handle, pids } = await grow({ gracePeriodMs: 50 });
    handle.pause();
    await until(() => pids.every((pid) => stateOf(pid) === "T"));
    handle.resume();
    await until(() => pids.every((pid) => stateOf(pid) !== "T"));
    handle.pause();
    handle.terminate();
    await handle.exited;
    await allGone(pids);
  });
});
