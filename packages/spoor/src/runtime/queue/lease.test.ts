import { describe, expect, it } from "vitest";
import { holdLease, type LeaseClock } from "./lease.ts";

/** A clock that only moves when the test says so. */
function createClock() {
  let monotonic = 0;
  let wall = 1_000_000;
  const timers = new Set<{ ms: number; next: number; call(): void }>();
  const clock: LeaseClock = {
    monotonic: () => monotonic,
    wall: () => wall,
    every(ms, call) {
      const timer = { ms, next: monotonic + ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  return {
    clock,
    async advance(ms: number) {
      for (let passed = 0; passed < ms; passed += 1_000) {
        monotonic += 1_000;
        wall += 1_000;
        for (const timer of [...timers]) {
          if (timer.next > monotonic) continue;
          timer.next += timer.ms;
          timer.call();
        }
        await new Promise(setImmediate);
      }
    },
    /** The machine sleeps: only the wall clock moves. */
    sleep: (ms: number) => (wall += ms),
    timers,
  };
}

function holdTestLease(answer: () => Promise<boolean>) {
  const time = createClock();
  const acts: string[] = [];
  const lease = holdLease({
    extend: () => {
      acts.push("extend");
      return answer();
    },
    stop: () => acts.push("stop"),
    resume: () => acts.push("resume"),
    kill: (reason) => acts.push(`kill ${reason}`),
    clock: time.clock,
  });
  return { ...time, lease, acts };
}

const unreachable = () => Promise.reject(new Error("The log cannot be reached."));

describe("a lease", () => {
  it("is renewed every ten seconds", async () => {
    const { advance, acts, lease } = holdTestLease(async () => true);
    await advance(60_000);
    expect(acts).toEqual(Array(6).fill("extend"));
    expect(lease.state).toBe("held");
    lease.end();
  });

  it("stops the processes after 20 seconds without renewal and kills them after 28", async () => {
    const { advance, acts, lease, timers } = holdTestLease(unreachable);
    await advance(19_000);
    expect(acts).not.toContain("stop");
    await advance(1_000);
    expect(acts).toContain("stop");
    expect(lease.check()).toBe(false);
    await advance(7_000);
    expect(acts).not.toContain("kill expired");
    await advance(1_000);
    expect(acts.at(-1)).toBe("kill expired");
    expect(timers.size).toBe(0);
  });

  it("lets stopped processes continue once it is renewed", async () => {
    let isReachable = false;
    const { advance, acts, lease } = holdTestLease(async () => isReachable || unreachable());
    await advance(22_000);
    expect(lease.state).toBe("stopped");
    isReachable = true;
    await advance(2_000);
    expect(lease.state).toBe("held");
    expect(acts.filter((act) => act !== "extend")).toEqual(["stop", "resume"]);
    lease.end();
  });

  it("counts the time during which the machine slept", async () => {
    const { acts, sleep, lease } = holdTestLease(async () => true);
    sleep(40_000);
    expect(lease.check()).toBe(false);
    expect(acts).toEqual(["kill expired"]);
  });

  it("kills the processes at once when another worker has the run", async () => {
    const { advance, acts } = holdTestLease(async () => false);
    await advance(10_000);
    expect(acts).toEqual(["extend", "kill taken"]);
  });
});
