import { expect, it } from "vitest";
import { temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { GENERATION, type Hold, heldWorkspaces, holdEffects, holdWorkspace, releaseEffects } from "./hold.ts";

const take = (log: ReturnType<typeof temporaryLog>["log"], hold: Omit<Hold, "mode">) =>
  holdWorkspace(log.rows, { mode: "in_place", ...hold }, (effects) => log.rows.write(effects));

const held = async (log: ReturnType<typeof temporaryLog>["log"]) => {
  const found: string[] = [];
  for await (const { folder, run_id } of heldWorkspaces(log.rows)) found.push(`${run_id} ${folder}`);
  return found.sort();
};

it("a folder belongs to one run, with the folders above and below it", async () => {
  const { log } = temporaryLog();
  await take(log, { run_id: "run_1", path: "/work/a" });
  for (const path of ["/work/a", "/work/a/sub/deep", "/work", "/"]) {
    await expect(take(log, { run_id: "run_2", path })).rejects.toMatchObject({
      code: "workspace_busy",
      holder: { run_id: "run_1", path: "/work/a" },
      message: expect.stringContaining("The run run_1 works in /work/a"),
    });
  }
  await take(log, { run_id: "run_2", path: "/work/ab" });
  expect(await held(log)).toEqual(["run_1 /work/a", "run_2 /work/ab"]);
});

it("runs share a folder only if all of them say so", async () => {
  const { log } = temporaryLog();
  await take(log, { run_id: "run_1", path: "/work", share: true });
  await take(log, { run_id: "run_2", path: "/work", share: true });
  await take(log, { run_id: "run_3", path: "/work/sub", share: true });
  await expect(take(log, { run_id: "run_4", path: "/work" })).rejects.toMatchObject({ code: "workspace_busy" });
  await take(log, { run_id: "run_5", path: "/other" });
  await expect(take(log, { run_id: "run_6", path: "/other", share: true })).rejects.toThrow("run_5");
});

it("a folder is free once its run has given it back, and a run gives back only its own", async () => {
  const { log } = temporaryLog();
  await take(log, { run_id: "run_1", path: "/a" });
  await take(log, { run_id: "run_2", path: "/b", share: true });
  await log.rows.write(releaseEffects({ run_id: "run_9", path: "/a" }));
  expect(await held(log)).toEqual(["run_1 /a", "run_2 /b"]);
  await log.rows.write(releaseEffects({ run_id: "run_1", path: "/a" }));
  await log.rows.write(releaseEffects({ run_id: "run_2", path: "/b" }));
  expect(await held(log)).toEqual([]);
  await take(log, { run_id: "run_3", path: "/a/b" });
});

it("of two runs that take overlapping folders at the same moment, one gets it", async () => {
  const { log } = temporaryLog();
  const paths = ["/w", "/w/a", "/w/a/b", "/w/a/b/c"];
  for (let round = 0; round < 20; round++) {
    const all = await Promise.allSettled(paths.map((path, n) => take(log, { run_id: `run_${round}_${n}`, path })));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const each of all)
      if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "workspace_busy" });
    const n = all.findIndex(({ status }) => status === "fulfilled");
    await log.rows.write(releaseEffects({ run_id: `run_${round}_${n}`, path: paths[n] ?? "" }));
  }
});

it("runs in different folders all get theirs, even at the same moment", async () => {
  const { log } = temporaryLog();
  await Promise.all(Array.from({ length: 20 }, (_, n) => take(log, { run_id: `run_${n}`, path: `/w/${n}` })));
  expect(await held(log)).toHaveLength(20);
  expect(await log.rows.find("workspaces", GENERATION)).toMatchObject({ generation: 20 });
});

it("a commit with an outdated hold is refused", async () => {
  const { log } = temporaryLog();
  const one = await holdEffects(log.rows, { run_id: "run_1", path: "/w", mode: "in_place" });
  const two = await holdEffects(log.rows, { run_id: "run_2", path: "/w/a", mode: "in_place" });
  await log.rows.write(one);
  await expect(log.rows.write(two)).rejects.toMatchObject({ code: "conflict" });
});
