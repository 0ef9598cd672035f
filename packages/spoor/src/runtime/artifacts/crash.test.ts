import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Change, patchedRun, temporaryFolder, writeFiles } from "../../../testing/runtime/patches.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { artifactsOfRun } from "./find.ts";
import { applyRun, recoverPending, revertRun } from "./index.ts";

const program = fileURLToPath(new URL("../../../testing/runtime/programs/change-and-die.ts", import.meta.url));

/** A changed file, a new one in a new folder, a deleted one, and one whose mode changes as well. */
const changes: Change[] = [
  { path: "changed", before: Buffer.from("old\n"), after: Buffer.alloc(40_000, "new\n") },
  { path: "new/folder/made", before: undefined, after: Buffer.from([0, 1, 2]) },
  { path: "kept/deleted", before: Buffer.from("bye"), after: undefined },
  { path: "tool.sh", before: Buffer.from("#"), after: Buffer.from("#!"), before_mode: 0o100644, mode: 0o100755 },
];

type Side = "before" | "after";

/** The names, contents and modes of all files. */
function filesOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(path.join(root, name)).isFile(),
  );
  return Object.fromEntries(
    names.sort().map((name) => {
      const file = path.join(root, name);
      return [name, `${statSync(file).mode & 0o111 ? "x" : "-"} ${readFileSync(file).toString("latin1")}`];
    }),
  );
}

const expected = (side: Side): Record<string, string> =>
  Object.fromEntries(
    changes
      .flatMap((change): [string, string][] => {
        const bytes = change[side];
        const isTool = change.path === "tool.sh" && side === "after";
        return bytes ? [[change.path, `${isTool ? "x" : "-"} ${bytes.toString("latin1")}`]] : [];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

async function place(action: "apply" | "revert") {
  const { log, directory } = temporaryLog();
  const root = temporaryFolder();
  const operation = action === "apply" ? ("propose" as const) : undefined;
  const given = changes.map((change) => ({ ...change, ...(operation && { operation }) }));
  const { run_id } = await patchedRun(log, directory, root, given);
  for (const { path: name, before, after } of changes) {
    const bytes = action === "apply" ? before : after;
    if (bytes) writeFiles(root, { [name]: bytes });
  }
  if (action === "revert")
    await import("node:fs").then(({ chmodSync }) => chmodSync(path.join(root, "tool.sh"), 0o755));
  const run = async (what: string, step: number) => {
    const child = spawn(process.execPath, [
      "--conditions=spoor-source",
      program,
      what,
      directory,
      run_id,
      String(step),
    ]);
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    return signal === "SIGKILL" ? "killed" : code;
  };
  return { log, directory, root, run_id, run };
}

let kills = 0;

describe.each(["apply", "revert"] as const)("a process that is killed while it wants to %s patches", (action) => {
  const [from, to]: [Side, Side] = action === "apply" ? ["before", "after"] : ["after", "before"];

  it("leaves all files before or after the change once the log is recovered", { timeout: 300_000 }, async () => {
    for (let step = 1; ; step++) {
      const { log, directory, root, run_id, run } = await place(action);
      if ((await run(action, step)) !== "killed") {
        expect(filesOf(root)).toEqual(expected(to));
        expect(step).toBeGreaterThan(12);
        break;
      }
      kills += 1;
      const [recovered] = await recoverPending(log, directory);
      expect(recovered?.outcome).not.toBe("conflict");
      const isDone = recovered?.outcome === "finished";
      expect(filesOf(root), `step ${step}`).toEqual(expected(isDone ? to : from));
      if (!isDone && action === "apply") expect(existsSync(path.join(root, "new"))).toBe(false);
      const rows = (await artifactsOfRun(log, run_id)).slice(0, changes.length);
      expect(rows.map(({ pending }) => pending)).toEqual(changes.map(() => null));
      const done = action === "apply" ? "applied" : "reverted";
      const open = action === "apply" ? "proposed" : "applied";
      expect(rows.map(({ status }) => status)).toEqual(changes.map(() => (isDone ? done : open)));
      // What was undone can be asked for again.
      const stored = await log.run(run_id);
      if (!isDone)
        await (action === "apply" ? applyRun : revertRun)({ log, directory }, { run: stored as never, by: "ann" });
      expect(filesOf(root)).toEqual(expected(to));
      const types = (await envelopesOf(log, run_id)).map(({ type }) => type);
      expect(types.filter((type) => type === `tool.multi_edit.${done}`)).toHaveLength(1);
      expect(await findingsOf(log, [run_id])).toEqual([]);
    }
  });

  it("is finished also if the recovery is killed at any step", { timeout: 300_000 }, async () => {
    for (let step = 1; ; step++) {
      const { log, directory, root, run } = await place(action);
      // Right after the first file was replaced.
      expect(await run(action, 7)).toBe("killed");
      kills += 1;
      const outcome = await run("recover", step);
      if (outcome === "killed") kills += 1;
      await recoverPending(log, directory);
      expect(filesOf(root), `step ${step}`).toEqual(expected(to));
      if (outcome !== "killed") break;
    }
  });
});

it("was killed often enough", () => {
  expect(kills).toBeGreaterThanOrEqual(50);
});

it("marks patches as in conflict when a file is neither as it was nor as it should be after a crash", async () => {
  const { log, directory, root, run_id, run } = await place("apply");
  expect(await run("apply", 7)).toBe("killed");
  writeFileSync(path.join(root, "changed"), "somebody else wrote this");
  const [recovered] = await recoverPending(log, directory);
  expect(recovered?.outcome).toBe("conflict");
  expect((await artifactsOfRun(log, run_id)).map(({ status }) => status)).toEqual(changes.map(() => "conflict"));
  expect(readFileSync(path.join(root, "changed"), "utf8")).toBe("somebody else wrote this");
  expect(readdirSync(root, { recursive: true }).filter((name) => String(name).includes(".spoor-"))).toEqual([]);
  expect(await findingsOf(log, [run_id])).toEqual([]);
});

it("leaves a change alone whose process is alive", async () => {
  const { log, directory, run_id } = await place("apply");
  const isBusy = Promise.withResolvers<void>();
  const onStep = (step: string) => {
    if (step === "check") isBusy.resolve();
  };
  const run = await log.run(run_id);
  const applying = applyRun({ log, directory, onStep }, { run: run as never, by: "ann" });
  await isBusy.promise;
  expect(await recoverPending(log, directory)).toEqual([]);
  await applying;
});
