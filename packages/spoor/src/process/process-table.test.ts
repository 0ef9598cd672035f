import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parsePs, parseStat, readProcessTable } from "./process-table.ts";

describe("the process table", () => {
  it("parses a row of /proc, whatever the program's name is", () => {
    const numbers = "0 -1 4194560 1 0 0 0 2 3 0 0 20 0 7 0 517126 1 2";
    expect(parseStat(`42 (a) b (c) S 7 40 41 ${numbers}`)).toEqual({
      pid: 42,
      parent: 7,
      group: 40,
      session: 41,
      isZombie: false,
      started: "517126",
    });
    expect(parseStat(`42 (dead) Z 7 40 41 ${numbers}`)?.isZombie).toBe(true);
    expect(parseStat("")).toBeUndefined();
  });

  it("parses the output of ps", () => {
    const printed =
      "    1     0     1 Ss   Mon Jan  5 10:00:00 2026\n   42     1    40 Z+   Mon Jan  5 10:00:01 2026\n";
    expect(parsePs(printed)).toEqual([
      { pid: 1, parent: 0, group: 1, isZombie: false, started: "Mon Jan  5 10:00:00 2026" },
      { pid: 42, parent: 1, group: 40, isZombie: true, started: "Mon Jan  5 10:00:01 2026" },
    ]);
  });

  const platforms: NodeJS.Platform[] = ["linux", "darwin"];
  const canRead = (platform: NodeJS.Platform): boolean =>
    platform === "linux" ? process.platform === "linux" : spawnSync("ps", ["-A", "-o", "lstart="]).status === 0;

  it.for(platforms.filter(canRead))("lists this process with the method for %s", (platform) => {
    const row = readProcessTable(platform).find(({ pid }) => pid === process.pid);
    expect(row).toMatchObject({ parent: process.ppid, isZombie: false });
    expect(row?.started).toBe(readProcessTable(platform).find(({ pid }) => pid === process.pid)?.started);
  });
});
