import { describe, expect, it } from "vitest";
import { omitUndefined } from "./omit-undefined.ts";
import { outcomeByText, readySignals, toolByName, toolCallFields, toolKindsByName } from "./tool-calls.ts";

const kinds = toolKindsByName({ shell: ["bash", "exec"], file_read: ["read"] });

describe("a tool, by its name", () => {
  it.each([
    ["exec", { name: "exec", toolKind: "shell" }],
    ["read", { name: "read", toolKind: "file_read" }],
    ["dance", { name: "dance", toolKind: "other" }],
    ["constructor", { name: "constructor", toolKind: "other" }],
    ["mcp__demo__add", { name: "mcp__demo__add", toolKind: "mcp", mcp: { server: "demo", tool: "add" } }],
  ])("%s", (name, expected) => {
    expect(toolByName(name, kinds, /^mcp__(?<server>.+?)__(?<tool>.+)$/)).toEqual(expected);
  });

  it("has the fields of a signal without the reader's own state", () => {
    const call = { id: "1", name: "exec", toolKind: "shell", input: {}, shown: "so far" } as const;
    expect(toolCallFields(call)).toEqual({ id: "1", name: "exec", toolKind: "shell", input: {} });
  });

  it("runs the command that its input names", () => {
    const call = { id: "1", name: "exec", toolKind: "shell", input: { cmd: "ls" } } as const;
    const ready = { kind: "toolReady", ...call };
    expect(readySignals(call, "/tmp", "cmd")).toEqual([ready, { kind: "shell", id: "1", command: "ls", cwd: "/tmp" }]);
    expect(readySignals(call)).toEqual([ready]);
  });

  it("has the outcome that its error text names", () => {
    const table = [[/^Blocked/, "blocked"]] as const;
    expect(outcomeByText(table, "Blocked by a rule")).toBe("blocked");
    expect(outcomeByText(table, "No such file")).toBe("failed");
  });
});

it("omits undefined fields", () => {
  expect(Object.keys(omitUndefined({ cwd: undefined, exitCode: 0, text: "", reason: null }))).toEqual([
    ...["exitCode", "text", "reason"],
  ]);
});
