import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

const names = ["run.finished", "run.failed", "turn.failed", "text_delta", "tool.shell.exited", "log"];

describe("nearest", () => {
  it("finds what a slip of the finger meant", () => {
    expect(nearest("run.finishd", names)[0]).toBe("run.finished");
    expect(nearest("text_detla", names)).toEqual(["text_delta"]);
  });

  it("takes one separator for another, and capitals for small letters", () => {
    expect(nearest("text.delta", names)[0]).toBe("text_delta");
    expect(nearest("Run-Failed", names)[0]).toBe("run.failed");
  });

  it("finds a name by a part of it", () => {
    expect(nearest("shell", names)).toEqual(["tool.shell.exited"]);
    expect(nearest("failed", names)).toEqual(["run.failed", "turn.failed"]);
  });

  it("gives the best few, best first", () => {
    expect(nearest("rn.failed", names)).toEqual(["run.failed", "turn.failed"]);
    expect(nearest("failed", names, 1)).toEqual(["run.failed"]);
  });

  it("gives nothing rather than something unlike", () => {
    expect(nearest("hologram", names)).toEqual([]);
    expect(nearest("", names)).toEqual([]);
    expect(nearest("foo", ["zot", "pi"])).toEqual([]);
  });
});
