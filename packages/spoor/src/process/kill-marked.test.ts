import { expect, it } from "vitest";
import { leftBehind } from "./kill-marked.ts";
import type { ProcessRow } from "./process-table.ts";

const row = (pid: number, parent: number, group: number): ProcessRow => ({
  ...{ pid, parent, group, session: group },
  ...{ isZombie: false, started: `start of ${pid}` },
});

/** The shell 50 started this process, 60, in its own group; 70 and 80 carry the mark. */
const table = [row(50, 1, 50), row(60, 50, 50), row(61, 60, 50), row(70, 1, 50), row(71, 70, 71), row(80, 1, 80)];
const isMarked = ({ pid }: ProcessRow) => pid === 70 || pid === 80;

it("processes left behind by a run are killed with their groups, but not this process and the others of its group", () => {
  const sharing = [...table, row(81, 1, 80), row(72, 71, 72)];
  expect(leftBehind(sharing, isMarked, 60).map(({ pid }) => pid)).toEqual([70, 71, 80, 81, 72]);
});

it("this process is not killed if it descends from a process of the run itself", () => {
  const nested = [row(70, 1, 70), row(75, 70, 75), row(60, 75, 60), row(61, 60, 60)];
  expect(leftBehind(nested, isMarked, 60).map(({ pid }) => pid)).toEqual([70, 75]);
});
