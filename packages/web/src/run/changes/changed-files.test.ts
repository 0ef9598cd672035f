import { type FileView, initialRunView, type RunView } from "@spoor/protocol";
import type { ArtifactRecord } from "@spoor/protocol/client";
import { describe, expect, it } from "vitest";
import { changedFiles, folderOf, withSum } from "./changed-files.ts";
import { choicesOf, verbOfHunk } from "./choices.ts";
import { isLookedAt, withLookedAt } from "./looked-at.ts";

const view = (rest: Partial<RunView>): RunView => ({ ...initialRunView(), workspacePath: "/home/ann/app", ...rest });

const patch = (id: string, path: string, rest: Partial<ArtifactRecord> = {}): { record: ArtifactRecord } => ({
  record: {
    ...{ id, kind: "patch", status: "applied", size_bytes: 1, target_path: path, before_existed: true },
    ...{ stats: { additions: 1, deletions: 1, hunks: 2 }, applied_hunks: [0, 1], turn_index: 1, tool_call_ids: ["c1"] },
    ...{ produced_by_run_id: "run_1", produced_by_tool_call_id: "c1", created_at: "", updated_at: "" },
    ...rest,
  } as ArtifactRecord,
});

const file = (path: string, rest: Partial<FileView> = {}): FileView => ({
  ...{ path, operation: "edit", status: "applied" },
  ...rest,
});

describe("the changed files of a run", () => {
  it("join the stored patch with what the agent told, whose path may be absolute", () => {
    const told = file("/home/ann/app/src/a.ts", { artifactId: "art_1", toolCallId: "c1" });
    const files = changedFiles(view({ files: [told] }), [patch("art_1", "src/a.ts")]);
    expect(files).toMatchObject([{ path: "src/a.ts", status: "applied", additions: 1, changes: [{ key: "art_1" }] }]);
  });

  it("are one for each path, with the changes in their order, and files at the top come last", () => {
    const files = changedFiles(view({}), [patch("art_1", "z.ts"), patch("art_2", "src/a.ts"), patch("art_3", "z.ts")]);
    expect(files.map(({ path, changes }) => [path, changes.map(({ key }) => key)])).toEqual([
      ["src/a.ts", ["art_2"]],
      ["z.ts", ["art_1", "art_3"]],
    ]);
    expect(folderOf("z.ts")).toBe("./");
  });

  it("leave out the patches that a revert made, and are called what needs somebody first", () => {
    const files = changedFiles(view({}), [
      patch("art_1", "a", { status: "reverted" }),
      patch("art_2", "a", { inverse_of: "art_1" }),
      patch("art_3", "a", { status: "proposed" }),
    ]);
    expect(files).toMatchObject([{ status: "proposed", changes: [{ key: "art_1" }, { key: "art_3" }] }]);
  });

  it("show what was told without a stored patch, but offer nothing for it", () => {
    const diff = "@@ -1 +1,2 @@\n-a\n+b\n+c\n";
    const [found] = changedFiles(view({ files: [file("/home/ann/app/a", { diff })] }), []);
    expect(found).toMatchObject({ path: "a", additions: 2, deletions: 1, changes: [{ diff }] });
    expect(choicesOf(found?.changes ?? [])).toMatchObject({ apply: [], revert: [], why: expect.any(String) });
  });

  it("include what an approval asks for, and it can be permitted only if it is shown whole", () => {
    const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    const asked = { id: "appr_1", status: "pending", diff } as const;
    const [whole] = changedFiles(view({ approvals: [asked] }), []);
    expect(whole).toMatchObject({ path: "x", status: "proposed" });
    expect(choicesOf(whole?.changes ?? [])).toMatchObject({ apply: [{ approval: asked }], reject: [{}] });
    const [cut] = changedFiles(view({ approvals: [{ ...asked, truncated: true }] }), []);
    expect(choicesOf(cut?.changes ?? []).apply).toEqual([]);
  });

  it("are as they were in the past, without later patches", () => {
    const then = view({ files: [file("a", { artifactId: "art_1" })], artifacts: [{ id: "art_1", kind: "patch" }] });
    const files = changedFiles(then, [patch("art_1", "a", { status: "reverted" }), patch("art_2", "b")], true);
    expect(files).toMatchObject([{ path: "a", status: "applied" }]);
  });

  it("count what several changes come to, once it is known", () => {
    const [found] = changedFiles(view({}), [patch("art_1", "a"), patch("art_2", "a")]);
    if (!found) throw new Error("no file");
    expect(found.additions).toBe(2);
    expect(withSum(found, new Map([["a", "@@ -1 +1 @@\n-x\n+y\n"]]))).toMatchObject({ additions: 1, deletions: 1 });
    expect(withSum(found, new Map())).toBe(found);
  });
});

describe("what can be done with a change", () => {
  const one = (rest: Partial<ArtifactRecord>) => changedFiles(view({}), [patch("art_1", "a", rest)])[0]?.changes[0];
  const verbs = (rest: Partial<ArtifactRecord>) => {
    const change = one(rest);
    const choices = choicesOf(change ? [change] : []);
    return (["apply", "reject", "revert"] as const).filter((verb) => choices[verb].length > 0);
  };

  it("depends on its status and on whether its bytes were kept", () => {
    expect(verbs({ status: "proposed" })).toEqual(["apply", "reject"]);
    expect(verbs({ status: "applied" })).toEqual(["revert"]);
    expect(verbs({ status: "reverted" })).toEqual(["apply"]);
    for (const rest of [{ status: "rejected" }, { status: "conflict" }, { revertible: false }] as const)
      expect(verbs(rest), JSON.stringify(rest)).toEqual([]);
    expect(verbs({ attribution: "outside" })).toEqual([]);
  });

  it("is decided for each hunk of a change that is partly applied", () => {
    const change = one({ applied_hunks: [1] });
    if (!change) throw new Error("no change");
    expect(change.isPartial).toBe(true);
    expect([verbOfHunk(change, 0), verbOfHunk(change, 1)]).toEqual(["apply", "revert"]);
  });
});

describe("looked at", () => {
  it("holds for one revision of a file in one run, and any name of a file is safe", () => {
    for (const path of ["a", "__proto__", "constructor"]) {
      const seen = withLookedAt({}, "run_1", { path, revision: "1" }, true);
      expect(isLookedAt(seen, "run_1", { path, revision: "1" })).toBe(true);
      expect(isLookedAt(seen, "run_1", { path, revision: "2" })).toBe(false);
      expect(isLookedAt(seen, "run_2", { path, revision: "1" })).toBe(false);
      expect(withLookedAt(seen, "run_1", { path, revision: "1" }, false)).toEqual({});
    }
  });

  it("forgets the oldest runs", () => {
    let seen = {};
    for (let run = 0; run < 150; run++) seen = withLookedAt(seen, `run_${run}`, { path: "a", revision: "1" }, true);
    expect(Object.keys(seen)).toHaveLength(100);
    expect(seen).toHaveProperty("run_149");
  });
});
