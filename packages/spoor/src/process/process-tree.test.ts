import { describe, expect, it } from "vitest";
import type { ProcessRow } from "./process-table.ts";
import { createTree, membersOf } from "./process-tree.ts";

const row = (pid: number, parent: number, group: number, session = group): ProcessRow => ({
  pid,
  parent,
  group,
  session,
  isZombie: false,
  started: `start of ${pid}`,
});
const pids = (table: ProcessRow[], known = new Map<number, string>()) =>
  membersOf(100, known, table)
    .map(({ pid }) => pid)
    .sort((a, b) => a - b);

const others = [row(1, 0, 1), row(2, 0, 0), row(50, 1, 50), row(51, 50, 50)];

describe("a tree", () => {
  it("consists of the root, its group, its session and all descendants, in any order of rows", () => {
    const table = [
      row(104, 103, 103),
      row(103, 102, 103),
      row(102, 101, 100),
      row(101, 100, 100),
      row(100, 51, 100),
      row(110, 1, 100),
      row(111, 1, 111, 100),
      row(112, 1, 111, 100),
    ];
    expect(pids([...others, ...table])).toEqual([100, 101, 102, 103, 104, 110, 111, 112]);
  });

  it("does not include parents, siblings or system groups", () => {
    expect(pids([...others, row(100, 51, 100), row(60, 51, 50), row(101, 100, 1), row(102, 100, 0)])).toEqual([100]);
  });

  it("keeps a member that lost its parent, with its descendants", () => {
    const known = new Map([[103, "start of 103"]]);
    expect(pids([...others, row(103, 1, 103), row(104, 1, 103), row(105, 103, 105)], known)).toEqual([103, 104, 105]);
  });

  it("does not confuse a new process with an old one of the same pid", () => {
    expect(pids([...others, row(103, 1, 103)], new Map([[103, "earlier"]]))).toEqual([]);
  });

  it("includes processes that carry its mark, with their descendants", () => {
    const carriesMark = ({ pid }: ProcessRow) => pid === 103;
    const found = membersOf(100, new Map(), [...others, row(103, 1, 103), row(105, 103, 105)], carriesMark);
    expect(found.map(({ pid }) => pid)).toEqual([103, 105]);
  });

  it("is not alive when only zombies remain", () => {
    const isAlive = (...table: ProcessRow[]) => createTree(100, { readTable: () => [...others, ...table] }).isAlive();
    expect(isAlive(row(100, 51, 100))).toBe(true);
    expect(isAlive({ ...row(100, 51, 100), isZombie: true }, row(101, 100, 101))).toBe(true);
    expect(isAlive({ ...row(100, 51, 100), isZombie: true })).toBe(false);
    expect(isAlive()).toBe(false);
  });
});
