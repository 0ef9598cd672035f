import { describe, expect, it } from "vitest";
import { nearest } from "./nearest-names.ts";

const names = ["run.finished", "run.failed", "turn.failed", "text_delta", "tool.shell.exited", "log"];

describe("nearest", () => {
  it("finds the name behind a typo", () => {
    expect(nearest("run.finishd", names)[0]).toBe("run.finished");
    expect(nearest("text_detla", names)).toEqual(["text_delta"]);
  });

  it("treats separators as equal and ignores case", () => {
    expect(nearest("text.delta", names)[0]).toBe("text_delta");
    expect(nearest("Run-Failed", names)[0]).toBe("run.failed");
  });

  it("finds a name by a part of it", () => {
    expect(nearest("shell", names)).toEqual(["tool.shell.exited"]);
    expect(nearest("failed", names)).toEqual(["run.failed", "turn.failed"]);
  });

  it("returns the best few, best first", () => {
    expect(nearest("rn.failed", names)).toEqual(["run.failed", "turn.failed"]);
    expect(nearest("failed", names, 1)).toEqual(["run.failed"]);
  });

  it("returns nothing when no name is similar", () => {
    expect(nearest("hologram", names)).toEqual([]);
    expect(nearest("", names)).toEqual([]);
    expect(nearest("foo", ["zot", "pi"])).toEqual([]);
  });
});
