import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createSpoorClient } from "@spoor/protocol/client";
import { describe, expect, it } from "vitest";
import { type Change, patchedRun, temporaryFolder, writeFiles } from "../../../testing/runtime/patches.ts";
import { serve, TOKEN } from "../../../testing/server/serve.ts";
import { contentArtifact } from "../../runtime/artifacts/index.ts";

const before = Buffer.from(Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join(""));
const after = Buffer.from(before.toString().replace("line 2\n", "two\n").replace("line 25\n", ""));
const proposed = { path: "src/a", before, after, operation: "propose" } as const;

async function served(changes: readonly Change[]) {
  const directory = temporaryFolder("data");
  const place = await serve({ directory });
  const root = temporaryFolder();
  const run = await patchedRun(place.log, directory, root, changes);
  const json = async (target: string) => (await (await place.get(target)).json()) as Record<string, never>;
  return { ...place, ...run, directory, root, json, id: run.artifact_ids[0] as string };
}

/** Stores a content as an artifact of the run. */
async function addContent(
  place: Awaited<ReturnType<typeof served>>,
  mime: string,
  bytes: Buffer,
  name?: string,
): Promise<string> {
  const { log, directory, run_id, task_id } = place;
  const kind = mime.startsWith("image/") ? "image" : "fetched_resource";
  const made = await contentArtifact(directory, { run_id, task_id, kind, mime, bytes, ...(name && { name }) });
  const drafts = made.drafts.map(({ type, data }) => ({ type, timestamp: Date.now(), json: JSON.stringify(data) }));
  await log.append([{ run_id, epoch: 1, drafts, effects: made.effects }]);
  return made.artifact_ids[0] as string;
}

describe("artifacts over HTTP", () => {
  it("are listed with filters and pages, and read one by one with their diff", async () => {
    const place = await served([proposed, { path: "b", before: undefined, after: Buffer.from("x") }]);
    const { json, get, run_id, task_id, id } = place;
    await addContent(place, "image/png", Buffer.from("png"));
    const all = (await json("/v1/artifacts")) as never as { data: { id: string }[] };
    expect(all.data).toHaveLength(3);
    expect(await json(`/v1/artifacts?kind=patch&status=proposed&run_id=${run_id}`)).toMatchObject({ data: [{ id }] });
    expect(await json(`/hecate/v1/tasks/${task_id}/runs/${run_id}/artifacts?kind=image`)).toMatchObject({
      data: [{ kind: "image" }],
    });
    const first = (await json(`/v1/runs/${run_id}/artifacts?limit=2`)) as never as {
      data: unknown[];
      next_before: string;
    };
    const rest = await json(`/v1/runs/${run_id}/artifacts?limit=2&before=${first.next_before}`);
    expect([first.data.length, rest]).toMatchObject([2, { data: [{ id }], has_more: false, next_before: null }]);
    expect(await json(`/v1/artifacts/${id}`)).toMatchObject({
      object: "artifact",
      data: {
        ...{ id, kind: "patch", status: "proposed", target_path: "src/a", produced_by_run_id: run_id },
        ...{ stats: { additions: 1, deletions: 2, hunks: 2 }, applied_at: null, reverted_at: null },
        diff: expect.stringContaining("+two"),
      },
    });
    for (const target of ["/v1/artifacts/art_zzz", "/v1/artifacts/art_zzz/raw", "/v1/artifacts/..%2f..%2ftoken/raw"])
      expect((await get(target)).status, target).toBe(404);
    expect((await get("/v1/artifacts?kind=virus")).status).toBe(400);
  });

  it("are applied, rejected and reverted, whole or by hunk", async () => {
    const { post, root, id, artifact_ids } = await served([
      proposed,
      { path: "b", before: undefined, after: Buffer.from("x"), operation: "propose" },
    ]);
    writeFiles(root, { "src/a": before });
    const act = async (verb: string, body?: object, which = id) => {
      const response = await post(`/v1/artifacts/${which}/${verb}`, body ?? "");
      return { status: response.status, body: (await response.json()) as never };
    };
    expect(await act("apply", { hunks: [1] })).toMatchObject({ status: 200, body: { data: { applied_hunks: [1] } } });
    expect(await act("apply", { hunks: [0], reason: "fine" })).toMatchObject({ status: 200 });
    expect(readFileSync(path.join(root, "src/a"))).toEqual(after);
    expect(await act("apply")).toMatchObject({ status: 409, body: { error: { code: "wrong_status" } } });
    writeFileSync(path.join(root, "src/a"), "mine");
    expect(await act("revert")).toMatchObject({
      status: 409,
      body: {
        error: {
          code: "conflict",
          conflict: { files: [{ path: "src/a", expected: expect.stringMatching(/^sha256:/) }] },
        },
      },
    });
    expect(readFileSync(path.join(root, "src/a"), "utf8")).toBe("mine");
    writeFileSync(path.join(root, "src/a"), after);
    expect(await act("revert")).toMatchObject({ status: 200, body: { data: { status: "reverted" } } });
    expect(readFileSync(path.join(root, "src/a"))).toEqual(before);
    const other = artifact_ids[1] as string;
    expect(await act("reject", {}, other)).toMatchObject({ status: 200, body: { data: { status: "rejected" } } });
    for (const body of [{ hunks: [-1] }, { hunks: "all" }, { reason: 7 }, { force: true }])
      expect(await act("apply", body), JSON.stringify(body)).toMatchObject({ status: 400 });
    expect(await act("apply", { hunks: [99] }, id)).toMatchObject({ status: 422 });
  });

  it("are changed once for each idempotency key", async () => {
    const { post, root, id, log, run_id } = await served([proposed]);
    writeFiles(root, { "src/a": before });
    const headers = { "idempotency-key": "once" };
    const first = await post(`/v1/artifacts/${id}/apply`, {}, headers);
    const second = await post(`/v1/artifacts/${id}/apply`, {}, headers);
    expect([first.status, second.status]).toEqual([200, 200]);
    const other = await post(`/v1/artifacts/${id}/apply`, { reason: "x" }, headers);
    expect([other.status, await other.json()]).toMatchObject([422, { error: { code: "key_reused" } }]);
    const reverted = await post(`/v1/artifacts/${id}/revert`, {}, { "idempotency-key": "twice" });
    const again = await post(`/v1/artifacts/${id}/revert`, {}, { "idempotency-key": "twice" });
    expect([reverted.status, again.status]).toEqual([200, 200]);
    expect((await log.rows.list("artifacts", { where: { run_id } })).rows).toHaveLength(2);
  });

  it("D2: that name a path outside the workspace are refused and write nothing", async () => {
    const { post, artifact_ids } = await served(
      ["../x", "/etc/x", ".git/hooks/x", ".GIT/config"].map((name) => ({ ...proposed, path: name, before: undefined })),
    );
    for (const id of artifact_ids) {
      const response = await post(`/v1/artifacts/${id}/apply`, {});
      expect([response.status, await response.json()]).toMatchObject([422, { error: { code: "path_refused" } }]);
    }
  });

  it("A6: are not changed by a form or a text of another page", async () => {
    const { server, id } = await served([proposed]);
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      const headers = { authorization: `Bearer ${TOKEN}`, "content-type": type };
      const response = await fetch(`${server.url}/v1/artifacts/${id}/apply`, { method: "POST", headers, body: "{}" });
      expect(response.status).toBe(415);
    }
  });
});

describe("the patches of a run over HTTP", () => {
  const [one, two] = [Buffer.from("one\n"), Buffer.from("two\n")];

  it("are applied and reverted together or not at all, once for each key", async () => {
    const changes = ["a", "b"].map((name) => ({ path: name, before: one, after: two, operation: "propose" as const }));
    const { server, root, run_id, post, artifact_ids } = await served(changes);
    const client = createSpoorClient({ url: server.url, token: TOKEN });
    writeFiles(root, { a: one, b: "mine" });
    const contents = () => ["a", "b"].map((name) => readFileSync(path.join(root, name), "utf8"));
    await expect(client.runs.apply(run_id)).rejects.toMatchObject({ code: "conflict" });
    expect(contents()).toEqual(["one\n", "mine"]);
    expect(await client.artifacts.file(artifact_ids[1] as string)).toMatchObject({
      is_expected: false,
      diff: expect.stringContaining("+mine"),
    });
    writeFiles(root, { b: one });
    const headers = { "idempotency-key": "all" };
    // The same request, whatever the order of its fields.
    for (const body of [
      { files: ["a", "b"], reason: "fine" },
      { reason: "fine", files: ["a", "b"] },
    ]) {
      const answer = await post(`/v1/runs/${run_id}/apply`, body, headers);
      expect([answer.status, await answer.json()]).toMatchObject([200, { data: [{ status: "applied" }, {}] }]);
    }
    expect(contents()).toEqual(["two\n", "two\n"]);
    expect(await client.runs.revert(run_id, { files: ["a"], reason: "no" })).toMatchObject([{ status: "reverted" }]);
    expect(await client.runs.revert(run_id, { artifact_ids: [artifact_ids[1] as string] })).toHaveLength(1);
    expect(contents()).toEqual(["one\n", "one\n"]);
    expect(await client.runs.revert(run_id)).toEqual([]);
    expect(await client.runs.apply(run_id)).toEqual([]);
    expect(await client.runs.apply(run_id, { artifact_ids })).toHaveLength(2);
    expect(contents()).toEqual(["two\n", "two\n"]);
  });

  it("are refused if the request is wrong, or if the run worked in place", async () => {
    const { run_id, post } = await served([proposed]);
    for (const body of [{ files: "a" }, { artifact_ids: [1] }, { target: "/etc" }, { reason: 1 }, { force: true }])
      expect((await post(`/v1/runs/${run_id}/apply`, body)).status, JSON.stringify(body)).toBe(400);
    expect((await post(`/v1/runs/${run_id}/revert`, { target: "origin" })).status).toBe(400);
    const answer = await post(`/v1/runs/${run_id}/apply`, { target: "origin" });
    expect([answer.status, await answer.json()]).toMatchObject([422, { error: { code: "invalid" } }]);
    expect((await post("/v1/runs/run_zzz/apply", {})).status).toBe(404);
  });
});

describe("the bytes of an artifact", () => {
  it("are served whole, in ranges, and not again to somebody who has them", async () => {
    const place = await served([proposed]);
    const id = await addContent(place, "image/png", Buffer.from("0123456789"), '../dot".png');
    const raw = (headers = {}) => place.get(`/v1/artifacts/${id}/raw`, headers);
    const whole = await raw();
    expect(await whole.text()).toBe("0123456789");
    expect(whole.headers.get("content-type")).toBe("image/png");
    expect(whole.headers.get("x-content-type-options")).toBe("nosniff");
    expect(whole.headers.get("content-disposition")).toBe('inline; filename="dot_.png"');
    const etag = whole.headers.get("etag") ?? "";
    expect((await raw({ "if-none-match": etag })).status).toBe(304);
    for (const [range, expected, shown] of [
      ["bytes=2-4", "234", "bytes 2-4/10"],
      ["bytes=7-", "789", "bytes 7-9/10"],
      ["bytes=-2", "89", "bytes 8-9/10"],
      ["bytes=8-99", "89", "bytes 8-9/10"],
    ]) {
      const part = await raw({ range: range as string });
      expect([part.status, await part.text(), part.headers.get("content-range")]).toEqual([206, expected, shown]);
    }
    expect((await raw({ range: "bytes=20-" })).status).toBe(416);
    expect((await raw({ range: "lines=1-2" })).status).toBe(200);
    expect((await raw({ range: "bytes=2-4", "if-range": '"old"' })).status).toBe(200);
  });

  it.each([
    "text/html",
    "image/svg+xml",
    "text/javascript",
    "application/xhtml+xml",
    "text/xml; charset=utf-8",
    "x/y\r\nz: 1",
  ])("A8: are never served as something that a browser runs: %j", async (mime) => {
    const place = await served([]);
    const id = await addContent(place, mime, Buffer.from("<script>alert(1)</script>"), "x.html");
    const { headers } = await place.get(`/v1/artifacts/${id}/raw`);
    expect(headers.get("content-type")).toBe("application/octet-stream");
    expect(headers.get("content-disposition")).toContain("attachment");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  });
});

describe("the diff of a run over HTTP", () => {
  it("is one diff that git applies to a fresh worktree, up to a checkpoint", async () => {
    const { get, json, run_id, task_id } = await served([
      { path: "a", before, after },
      { path: "n/b", before: undefined, after: Buffer.from("\xff\n", "latin1") },
    ]);
    expect(await json(`/v1/runs/${run_id}/diff`)).toMatchObject({
      object: "diff",
      data: { run_id, files: [{ path: "a" }, { path: "n/b" }] },
    });
    const fresh = temporaryFolder("fresh");
    writeFiles(fresh, { a: before });
    const through = `ckpt_${run_id.slice(4)}`;
    const response = await get(`/hecate/v1/tasks/${task_id}/runs/${run_id}/diff?through=${through}`, {
      accept: "text/x-diff",
    });
    const input = Buffer.from(await response.arrayBuffer());
    execFileSync("git", ["apply"], { cwd: fresh, input, env: { PATH: process.env.PATH, HOME: fresh } });
    expect(readFileSync(path.join(fresh, "a"))).toEqual(after);
    expect(readFileSync(path.join(fresh, "n/b"))).toEqual(Buffer.from([0xff, 0x0a]));
    expect((await get(`/v1/runs/${run_id}/diff?through=ckpt_none`)).status).toBe(404);
  });
});

it("the typed client lists, reads and changes artifacts", async () => {
  const { server, root, run_id, id } = await served([proposed]);
  writeFiles(root, { "src/a": before });
  const client = createSpoorClient({ url: server.url, token: TOKEN });
  expect((await client.artifacts.list({ run_id, kind: "patch" })).data).toMatchObject([{ id, status: "proposed" }]);
  expect(await client.artifacts.apply(id, { hunks: [0] })).toMatchObject({ applied_hunks: [0] });
  expect(await client.artifacts.revert(id)).toMatchObject({ status: "reverted" });
  expect((await client.artifacts.get(id)).diff).toContain("+two");
  expect(await client.runs.diff(run_id)).toMatchObject({ files: [] });
  await expect(client.artifacts.reject(id)).rejects.toMatchObject({ code: "wrong_status" });
});
