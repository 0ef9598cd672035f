import type { RunRecord } from "@spoor/protocol/client";
import { describe, expect, test } from "vitest";
import { hasState, isEmpty, parseFilter, queryOf } from "./filter.ts";

describe("the filter of the runs", () => {
  test("reads words, keys and quoted values", () => {
    expect(parseFilter('  fix add()  agent:codex MODEL:"gpt 6" path:src/calc.js status:failed')).toEqual({
      words: ["fix", "add()"],
      agent: "codex",
      model: "gpt 6",
      path: "src/calc.js",
      status: "failed",
      unknown: [],
    });
  });

  test("says which keys and which values of status nobody knows", () => {
    expect(parseFilter("foo:bar status:maybe fix")).toEqual({ words: ["fix"], unknown: ["foo:", "status:maybe"] });
  });

  test.each(["C:\\code", "http://x.dev/a", "12:30", ":", "::", '"', "constructor", "__proto__"])(
    "takes %s for a word or for nothing, and never fails",
    (text) => {
      expect(parseFilter(text).unknown).toEqual([]);
    },
  );

  test("ignores a key without a value, so that typing does not empty the list", () => {
    expect(isEmpty(parseFilter("agent: model: "), "all")).toBe(true);
  });

  test("does not take the names of an object's own methods for a state", () => {
    expect(parseFilter("status:constructor").unknown).toEqual(["status:constructor"]);
  });

  test("asks the server for parts of names, and for whole patterns as they are", () => {
    expect(queryOf(parseFilter("a b agent:cod model:gpt-* path:src"), "all")).toEqual({
      q: "a b",
      agent: "*cod*",
      model: "gpt-*",
      path: "src",
    });
    expect(queryOf(parseFilter("status:needs-you"), "all")).toEqual({ state: "blocked" });
    expect(queryOf(parseFilter(""), "failed")).toEqual({ state: "error" });
  });

  test("drops a run whose state has changed since the server answered", () => {
    const run = { run_id: "r", status: "cancelled", state: "done", ended_at: "x" } as unknown as RunRecord;
    expect(hasState(run, parseFilter(""), "done", 0)).toBe(false);
    expect(hasState(run, parseFilter("status:cancelled"), "all", 0)).toBe(true);
    expect(hasState(run, parseFilter(""), "all", 0)).toBe(true);
  });
});
