import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { run as spoor } from "../cli/run.ts";
import { temporaryFolder } from "../runtime/task-runtime.ts";
import { openDoor } from "./door.ts";

/** What the scripted provider needs back with every thought. */
const KEPT = /signed:/;

async function finished() {
  const door = await openDoor();
  door.startLoopWorker();
  const script = [{ thinking: "Hm.", calls: [{ name: "write", input: { path: "a.txt", content: "A" } }] }];
  const run_id = await door.settled(await door.loop(JSON.stringify(script), { approve: "auto" }));
  return { ...door, run_id };
}

it("nobody gets what a provider needs back: not over HTTP, not in a bundle, and not by the command line", async () => {
  const { run_id, log, directory, server, get } = await finished();
  const { rows } = await log.rows.list("artifacts", { where: { run_id, kind: "provider_state" } });
  expect(rows.length).toBeGreaterThan(0);
  const token = readFileSync(path.join(directory, "token"), "utf8").trim();
  const raw = async (target: string) => {
    const response = await fetch(server.url + target, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, text: await response.text() };
  };
  for (const { artifact_id } of rows) {
    expect((await get(`/v1/artifacts/${artifact_id}`)).status).toBe(404);
    expect(await raw(`/v1/artifacts/${artifact_id}/raw`)).toMatchObject({ status: 404 });
    expect((await spoor(["patch", "show", artifact_id, "--data", directory])).code).not.toBe(0);
  }
  const lists = [`/v1/runs/${run_id}/artifacts`, `/v1/artifacts?run_id=${run_id}`];
  for (const target of [...lists, `/v1/artifacts?run_id=${run_id}&kind=provider_state`]) {
    const { text } = await raw(target);
    expect(text).not.toMatch(/provider_state/);
    for (const { artifact_id } of rows) expect(text).not.toContain(artifact_id);
  }
  const whole = [
    `/v1/runs/${run_id}`,
    `/v1/runs/${run_id}/events`,
    `/v1/runs/${run_id}/steps`,
    `/v1/runs/${run_id}/diff`,
  ];
  for (const target of whole) expect((await raw(target)).text).not.toMatch(KEPT);
  const file = path.join(directory, "run.bundle");
  expect((await spoor(["export", run_id, "-o", file, "--data", directory])).code).toBe(0);
  expect(readFileSync(file, "latin1")).not.toMatch(KEPT);
  for (const command of ["show", "events", "patches", "diff"]) {
    const { code, stdout } = await spoor([command, run_id, "--data", directory]);
    expect([command, code]).toEqual([command, 0]);
    expect(stdout).not.toMatch(KEPT);
  }
});

it("our loop is called loop in rows, events, lists and over HTTP", async () => {
  const { run_id, log, directory, events, get } = await finished();
  expect(await log.run(run_id)).toMatchObject({ agent: "loop", kind: "agent_loop" });
  const [created] = await events(run_id);
  expect(created).toMatchObject({ type: "run.created", data: { agent: "loop" } });
  expect((await get(`/v1/runs/${run_id}`)).body.data).toMatchObject({ agent: "loop" });
  expect((await get("/v1/runs?agent=loop")).body.data).toMatchObject([{ run_id }]);
  const { stdout } = await spoor(["ls", "--data", directory, "--json"]);
  expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ run_id, agent: "loop" });
});

it("the work of a run up to each of its checkpoints can be applied to a fresh copy of the folder", async () => {
  const door = await openDoor();
  const { workspace, directory, server, events } = door;
  writeFileSync(path.join(workspace, "a.txt"), "one\n");
  door.startLoopWorker();
  const script = [
    { calls: [{ name: "write", input: { path: "a.txt", content: "one\ntwo\n" } }] },
    { calls: [{ name: "shell", input: { command: "echo three >> a.txt; echo new > b.txt" } }] },
    { calls: [{ name: "write", input: { path: "b.txt", content: "newer\n" } }] },
  ];
  const run_id = await door.settled(await door.loop(JSON.stringify(script), { approve: "auto" }));
  const token = readFileSync(path.join(directory, "token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}`, accept: "text/x-diff" };
  const saved = (await events(run_id)).filter(({ type }) => type === "run.checkpoint_saved");
  // One before the calls of a turn are judged, and one at its end; the answer has only the second.
  expect(saved.map(({ data }) => data.turn_index)).toEqual([1, 1, 2, 2, 3, 3, 4]);
  const found = [];
  for (const { data } of saved) {
    const fresh = temporaryFolder();
    writeFileSync(path.join(fresh, "a.txt"), "one\n");
    const response = await fetch(`${server.url}/v1/runs/${run_id}/diff?through=${data.checkpoint_id}`, { headers });
    const diff = await response.text();
    if (diff !== "") execFileSync("git", ["apply"], { cwd: fresh, input: diff });
    found.push(readdirSync(fresh).map((name) => readFileSync(path.join(fresh, name), "utf8")));
  }
  const after = [["one\n"], ["one\ntwo\n"], ["one\ntwo\nthree\n", "new\n"], ["one\ntwo\nthree\n", "newer\n"]];
  expect(found).toEqual([after[0], after[1], after[1], after[2], after[2], after[3], after[3]]);
});
