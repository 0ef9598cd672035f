import { describe, expect, it } from "vitest";
import { createList } from "./snapshot-list.ts";

interface Item {
  readonly name: string;
  readonly parts: readonly string[];
}

const listOf = (...names: string[]) =>
  createList<Item>(
    names.map((name) => ({ name, parts: [] })),
    ["parts"],
  );

describe("a list", () => {
  it("is copied once per snapshot, however often it changes", () => {
    const list = listOf("a", "b");
    list.snapshot();
    const first = list.edit(0);
    for (let n = 0; n < 100; n++) expect(list.edit(0)).toBe(first);
    const changed = list.snapshot();
    list.edit(1).name = "c";
    expect(list.snapshot()).not.toBe(changed);
  });

  it("returns snapshots that never change again, including the arrays of items", () => {
    const list = listOf("a");
    const before = list.snapshot();
    list.edit(0).name = "z";
    list.edit(0).parts.push("p");
    list.push({ name: "b", parts: [] });
    expect(before).toEqual([{ name: "a", parts: [] }]);
    const after = list.snapshot();
    list.dropFirst(1);
    list.edit(0).name = "y";
    expect(after).toEqual([
      { name: "z", parts: ["p"] },
      { name: "b", parts: [] },
    ]);
    expect(list.snapshot()).toEqual([{ name: "y", parts: [] }]);
  });

  it("keeps unchanged items as the same objects", () => {
    const list = listOf("a", "b");
    const before = list.snapshot();
    list.edit(1).name = "c";
    expect(list.snapshot()[0]).toBe(before[0]);
    expect(list.snapshot()).toBe(list.snapshot());
  });

  it("does not change its initial items", () => {
    const start = Object.freeze([Object.freeze({ name: "a", parts: Object.freeze([]) })]);
    const list = createList<Item>(start, ["parts"]);
    list.edit(0).parts.push("p");
    expect(start).toEqual([{ name: "a", parts: [] }]);
  });
});
