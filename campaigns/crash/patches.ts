import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { patchedRun } from "../../packages/spoor/testing/runtime/patched-run.ts";
import type { Cell } from "./matrix.ts";
import { ended, type Stage } from "./stage.ts";

const reverter = fileURLToPath(
  new URL("../../packages/spoor/testing/runtime/programs/change-and-die.ts", import.meta.url),
);

const before: Readonly<Record<string, string>> = { a: "one\n", b: "two\n" };
const after: Readonly<Record<string, string>> = { a: "one and more\n", b: "2\n", c: "new\n" };
const STEPS = 14;

/** A run has changed files, and the process that takes the changes back is killed meanwhile. */
export async function playPatches(stage: Stage, { victim }: Cell, random: () => number): Promise<string> {
  for (const [name, text] of Object.entries(after)) writeFileSync(join(stage.workspace, name), text);
  const changes = Object.entries(after).map(([path, text]) => {
    const old = before[path];
    return { path, before: old === undefined ? undefined : Buffer.from(old), after: Buffer.from(text) };
  });
  const { run_id } = await patchedRun(stage.log, stage.data, stage.workspace, changes);
  await stage.serve(0);
  await (victim === "executor" ? dieReverting(stage, run_id, random) : killReverting(stage, run_id, random));
  // Whoever changes files next settles what was cut off; so does a server when it starts.
  await stage.serve(0);
  await stage.until("the end of the change", async () => {
    const { rows } = await stage.log.rows.list("artifacts", { where: { run_id } });
    return rows.every(({ pending }) => pending === null);
  });
  // One command takes back all files; each request one of them.
  if (victim === "executor") expectFiles(stage, [after, before]);
  const again = await stage.spoor(["revert", run_id]);
  if (again !== 0 && !isBefore(stage)) throw new Error(`spoor revert ended with ${again} after the restart`);
  expectFiles(stage, [before]);
  return run_id;
}

/** The process kills itself before one of its steps. */
async function dieReverting(stage: Stage, run_id: string, random: () => number): Promise<void> {
  const step = String(1 + Math.floor(random() * STEPS));
  const child = spawn(process.execPath, ["--conditions=spoor-source", reverter, "revert", stage.data, run_id, step]);
  await ended(child);
  await stage.kill(stage.server?.child);
}

async function killReverting(stage: Stage, run_id: string, random: () => number): Promise<void> {
  const { rows } = await stage.log.rows.list("artifacts", { where: { run_id } });
  const requests = rows.map(({ artifact_id }) => stage.post(`/v1/artifacts/${artifact_id}/revert`));
  await sleep(random() * 60);
  await stage.kill(stage.server?.child);
  await Promise.all(requests);
}

const filesOf = ({ workspace }: Stage): Record<string, string> =>
  Object.fromEntries(
    readdirSync(workspace)
      .sort()
      .map((name) => [name, readFileSync(join(workspace, name), "utf8")]),
  );

const isBefore = (stage: Stage): boolean => JSON.stringify(filesOf(stage)) === JSON.stringify(before);

function expectFiles(stage: Stage, states: readonly Readonly<Record<string, string>>[]): void {
  const found = JSON.stringify(filesOf(stage));
  if (!states.some((state) => JSON.stringify(state) === found)) throw new Error(`The workspace holds ${found}`);
}
