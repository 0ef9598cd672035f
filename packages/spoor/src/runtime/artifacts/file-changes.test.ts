import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder, writeFiles } from "../../../testing/runtime/patches.ts";
import { forgetCallChanges, settleCallChanges } from "./file-changes.ts";

const program = fileURLToPath(new URL("../../../testing/loop/programs/edit-and-die.ts", import.meta.url));

/** A changed file, a new one in a new folder, one whose folder becomes empty, and one whose mode changes. */
const before = { changed: "- old", "kept/deleted": "- bye", "tool.sh": "- #" };
const after = { changed: "- new", "new/folder/made": "- made", "tool.sh": "x #!" };
const wanted = {
  changed: { text: "new", mode: 0o644 },
  "new/folder/made": { text: "made", mode: 0o644 },
  "kept/deleted": null,
  "tool.sh": { text: "#!", mode: 0o755 },
};

function place() {
  const [root, directory] = [temporaryFolder(), temporaryFolder()];
  writeFiles(root, { changed: Buffer.from("old"), "kept/deleted": Buffer.from("bye"), "tool.sh": Buffer.from("#") });
  const run = (action: string, step: number): boolean => {
    const args = ["--conditions=spoor-source", program, action, directory, root, String(step), JSON.stringify(wanted)];
    const { signal, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (signal === null && !stdout.includes("done after")) throw new Error(`It broke: ${stdout}`);
    return signal === "SIGKILL";
  };
  const files = (): Record<string, string> =>
    Object.fromEntries(
      readdirSync(root, { recursive: true, encoding: "utf8" })
        .filter((name) => statSync(path.join(root, name)).isFile())
        .sort()
        .map((name) => {
          const file = path.join(root, name);
          return [name, `${statSync(file).mode & 0o111 ? "x" : "-"} ${readFileSync(file, "utf8")}`];
        }),
    );
  return { root, directory, run, files };
}

describe("a change of several files whose process is killed", { timeout: 300_000 }, () => {
  it("is before or after it at every step once it is settled, without temporary files", async () => {
    const outcomes: string[] = [];
    for (let step = 1; ; step++) {
      const { root, directory, run, files } = place();
      const isKilled = run("change", step);
      const [settled] = await settleCallChanges(directory, "run_1");
      expect(files(), `step ${step}`).toEqual(settled?.outcome === "finished" ? after : before);
      expect(existsSync(path.join(root, "new"))).toBe(settled?.outcome === "finished");
      outcomes.push(settled?.outcome ?? "nothing");
      // It is told again until somebody has stored it.
      expect(await settleCallChanges(directory, "run_1")).toEqual(settled ? [settled] : []);
      await forgetCallChanges(directory, "run_1");
      expect(existsSync(path.join(directory, "changes", "run_1"))).toBe(false);
      if (!isKilled) break;
    }
    expect(outcomes.slice(0, 2)).toEqual(["nothing", "undone"]);
    expect(outcomes.filter((each) => each === "undone").length).toBeGreaterThan(4);
    expect(outcomes.filter((each) => each === "finished").length).toBeGreaterThan(6);
  });

  it("is settled also if that is killed at every step", async () => {
    for (let step = 1; ; step++) {
      const { directory, run, files } = place();
      // Right after the first file was replaced.
      expect(run("change", 7)).toBe(true);
      const isKilled = run("settle", step);
      expect(await settleCallChanges(directory, "run_1")).toMatchObject([{ call_id: "call/1", outcome: "finished" }]);
      expect(files(), `step ${step}`).toEqual(after);
      if (!isKilled) break;
    }
  });

  it("is before or after it also if a file could not be replaced and the others are put back", async () => {
    let puttingBack = 0;
    for (let step = 8; ; step++) {
      const { directory, run, files } = place();
      const isKilled = run("fail", step);
      const [settled] = await settleCallChanges(directory, "run_1");
      if (!isKilled) {
        expect([settled, files()]).toEqual([undefined, before]);
        break;
      }
      expect(files(), `step ${step}`).toEqual(settled?.outcome === "finished" ? after : before);
      if (settled?.outcome === "undone") puttingBack += 1;
    }
    expect(puttingBack).toBeGreaterThan(2);
  });

  it("is left as it is if somebody else changed a file meanwhile, but its temporary files are removed", async () => {
    const { root, directory, run, files } = place();
    expect(run("change", 7)).toBe(true);
    writeFileSync(path.join(root, "tool.sh"), "theirs");
    expect(await settleCallChanges(directory, "run_1")).toMatchObject([{ outcome: "conflict" }]);
    expect(files()).toEqual({ changed: "- new", "kept/deleted": "- bye", "tool.sh": "- theirs" });
  });
});
