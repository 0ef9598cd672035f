import type * as api from "@spoor/protocol/api";
import type { ArtifactRow } from "../../runtime/artifacts/index.ts";
import { readOptionalJson } from "../http/json-body.ts";
import { readers } from "../http/query-parameters.ts";
import { sendBytes, sendJson } from "../http/respond.ts";
import type { Route, RouteCall, RouteHandler, SchemaName } from "../http/route.ts";
import { sendContent } from "./artifact-content.ts";
import { asHttpError, readPatchRequest, readRunPatchesRequest, requestKeyOf } from "./artifact-requests.ts";
import { findRun } from "./find-run.ts";
import type { RouteContext } from "./route-context.ts";

/** Artifacts, and the patches among them. */
export function artifactRoutes({ log, directory }: RouteContext): Route[] {
  // Loaded at the first request. Keep the promise: importing a loaded module still takes time.
  let loading: Promise<typeof import("../../runtime/artifacts/index.ts")> | undefined;
  const artifacts = () => {
    loading ??= import("../../runtime/artifacts/index.ts");
    return loading;
  };
  const context = { log, directory };
  const handle =
    (work: (call: RouteCall) => Promise<void>): RouteHandler =>
    (call) =>
      work(call).catch(async (error: unknown) => {
        throw asHttpError(error, (await artifacts()).ArtifactError);
      });

  const answerOf = async (row: ArtifactRow): Promise<api.ArtifactAnswer> => {
    const { artifactJson, readBlob } = await artifacts();
    const diff = row.kind === "patch" && row.sha256 !== null ? await readBlob(log, directory, row.sha256) : undefined;
    const data = { ...artifactJson(row), ...(diff && { diff: diff.toString("utf8") }) } as api.ArtifactRecord;
    return { object: "artifact", data };
  };

  const list = handle(async (call) => {
    const run_id =
      call.path.run_id === undefined ? readers.text(call.query, "run_id") : (await findRun(log, call)).run_id;
    const { artifactJson } = await artifacts();
    const [kind, status] = [readers.artifactKind(call.query), readers.artifactStatus(call.query)];
    const before = readers.text(call.query, "before");
    const found = await log.rows.list("artifacts", {
      where: { ...(run_id && { run_id }), ...(kind && { kind }), ...(status && { status }) },
      ...{ order: "artifact_id", descending: true, limit: readers.limit(call.query) },
      // What providers need back is held in the same table, under ids that come after all of these. It is not shown.
      after: before ?? "art_~",
    });
    const last = found.rows.at(-1)?.artifact_id;
    const answer: api.ArtifactList = {
      object: "list",
      data: found.rows.map(artifactJson) as api.ArtifactRecord[],
      has_more: found.more,
      next_before: (found.more && last) || null,
    };
    sendJson(call.response, 200, answer);
  });

  const get = handle(async ({ path, response }) => {
    const { findArtifact } = await artifacts();
    sendJson(response, 200, await answerOf(await findArtifact(log, path.artifact_id ?? "")));
  });

  const raw = handle(async (call) => {
    const { ArtifactError, findArtifact, readBlob } = await artifacts();
    const row = await findArtifact(log, call.path.artifact_id ?? "");
    if (row.sha256 === null) throw new ArtifactError("missing", `The bytes of ${row.artifact_id} were not kept.`);
    const { sha256 } = row;
    await sendContent(call, row, () => readBlob(log, directory, sha256));
  });

  const change = (verb: "apply" | "reject" | "revert") =>
    handle(async (call) => {
      const { applyPatch, findArtifact, rejectPatch, revertPatch } = await artifacts();
      const body = readPatchRequest(await readOptionalJson(call.request), verb);
      const artifact_id = call.path.artifact_id ?? "";
      const key = await requestKeyOf(log, call, { verb, artifact_id, body });
      const act = { apply: applyPatch, reject: rejectPatch, revert: revertPatch }[verb];
      const request = { artifact_id, by: "operator", ...body, ...(key?.isNew && { request: key.request }) };
      const row = key && !key.isNew ? await findArtifact(log, artifact_id) : await act(context, request);
      sendJson(call.response, 200, await answerOf(row));
    });

  const file = handle(async ({ path, response }) => {
    const { currentFile } = await artifacts();
    const data = await currentFile(log, directory, path.artifact_id ?? "");
    sendJson(response, 200, { object: "current_file", data } satisfies api.CurrentFileAnswer);
  });

  const changeRun = (verb: "apply" | "revert") =>
    handle(async (call) => {
      const { applyRun, artifactJson, findArtifact, originOf, revertRun } = await artifacts();
      const run = await findRun(log, call);
      const body = readRunPatchesRequest(await readOptionalJson(call.request), verb);
      const key = await requestKeyOf(log, call, { verb, run_id: run.run_id, body });
      const { target, ...chosen } = body;
      const request = { run, by: "operator", ...chosen, ...(key?.isNew && { request: key.request }) };
      const act = async () =>
        verb === "revert"
          ? revertRun(context, request)
          : applyRun(context, { ...request, ...(target === "origin" && { to: await originOf(log, run) }) });
      const isDone = key && !key.isNew;
      const rows = isDone ? await Promise.all(key.artifact_ids.map((id) => findArtifact(log, id))) : await act();
      const data = rows.map(artifactJson) as api.ArtifactRecord[];
      sendJson(call.response, 200, {
        object: "list",
        data,
        has_more: false,
        next_before: null,
      } satisfies api.ArtifactList);
    });

  const diff = handle(async (call) => {
    const { runDiff } = await artifacts();
    const run = await findRun(log, call);
    const through = readers.text(call.query, "through");
    const { diff: bytes, ...found } = await runDiff(log, directory, run, { through });
    call.response.setHeader("Vary", "Accept");
    if (/text\/(x-diff|plain)/.test(call.request.headers.accept ?? "")) {
      sendBytes(call.response, 200, "text/x-diff; charset=utf-8", bytes);
      return;
    }
    const answer: api.RunDiffAnswer = {
      object: "diff",
      data: { run_id: run.run_id, ...found, diff: bytes.toString("utf8") },
    };
    sendJson(call.response, 200, answer);
  });

  const ofRun = {
    method: "GET",
    summary: "List the artifacts of a run",
    query: "RunArtifactsQuery",
    answers: { 200: json("Newest first.", "ArtifactList") },
    handle: list,
  } as const;
  const diffOfRun = {
    method: "GET",
    summary: "Get everything a run changed as one diff",
    description: "With `Accept: text/x-diff` the answer is the diff itself, for `git apply`.",
    query: "RunDiffQuery",
    answers: {
      200: {
        description: "The sum of all patches.",
        content: { "application/json": "RunDiffAnswer", "text/x-diff": undefined },
      },
    },
    handle: diff,
  } as const;
  return [
    {
      method: "GET",
      path: "/v1/artifacts",
      operation: "listArtifacts",
      summary: "List artifacts",
      query: "ArtifactsQuery",
      answers: { 200: json("Newest first.", "ArtifactList") },
      handle: list,
    },
    {
      method: "GET",
      path: "/v1/artifacts/{artifact_id}",
      operation: "getArtifact",
      summary: "Get an artifact",
      answers: { 200: json("The record. A patch comes with its diff.", "ArtifactAnswer") },
      handle: get,
    },
    {
      method: "GET",
      path: "/v1/artifacts/{artifact_id}/raw",
      operation: "getArtifactContent",
      summary: "Get the bytes of an artifact",
      description: "Content that a browser would run, such as HTML and SVG, is sent as a download of bytes.",
      headers: { Range: "One range of bytes.", "If-None-Match": "The ETag of the copy you have." },
      answers: {
        200: { description: "The bytes.", content: { "application/octet-stream": undefined } },
        206: { description: "The range.", content: { "application/octet-stream": undefined } },
        304: { description: "Your copy is current." },
      },
      handle: raw,
    },
    ...changes.map(
      ([verb, operation, summary, description]): Route => ({
        method: "POST",
        path: `/v1/artifacts/{artifact_id}/${verb}`,
        operation,
        summary,
        description,
        headers: {
          "Idempotency-Key": "A second request with the same key changes nothing and gets the artifact as it is.",
        },
        answers: { 200: json("The artifact as it is now.", "ArtifactAnswer") },
        body: "PatchRequest",
        bodyOptional: true,
        handle: change(verb),
      }),
    ),
    {
      method: "GET",
      path: "/v1/artifacts/{artifact_id}/file",
      operation: "getCurrentFile",
      summary: "Compare the file of a patch with what the patch needs",
      description: "Shows what changed since, after a 409 `conflict`. Secrets are redacted.",
      answers: { 200: json("The file as it is now.", "CurrentFileAnswer") },
      handle: file,
    },
    ...runChanges.map(
      ([verb, operation, summary, description]): Route => ({
        ...{ method: "POST", path: `/v1/runs/{run_id}/${verb}`, operation, summary, description },
        headers: { "Idempotency-Key": "A second request with the same key changes nothing." },
        answers: { 200: json("The patches as they are now.", "ArtifactList") },
        body: "RunPatchesRequest",
        bodyOptional: true,
        handle: changeRun(verb),
      }),
    ),
    { ...ofRun, path: "/v1/runs/{run_id}/artifacts", operation: "listRunArtifacts" },
    { ...ofRun, path: "/v1/tasks/{task_id}/runs/{run_id}/artifacts", operation: "listTaskRunArtifacts" },
    { ...diffOfRun, path: "/v1/runs/{run_id}/diff", operation: "getRunDiff" },
    { ...diffOfRun, path: "/v1/tasks/{task_id}/runs/{run_id}/diff", operation: "getTaskRunDiff" },
  ];
}

const changes = [
  [
    "apply",
    "applyPatch",
    "Write a patch that is proposed or was reverted to its file",
    "All or nothing: 409 `conflict` names the files that are not as the patch needs them.",
  ],
  ["reject", "rejectPatch", "Decide that a proposed patch is not applied", "No file is touched."],
  [
    "revert",
    "revertPatch",
    "Take an applied patch back",
    "Makes the inverse patch. 409 `conflict` if the file was changed since.",
  ],
] as const;

const runChanges = [
  [
    "apply",
    "applyRun",
    "Write the proposed patches of a run",
    "All or none. With `target: origin`, everything a run changed in its worktree or clone is written to the folder that it was made from.",
  ],
  ["revert", "revertRun", "Take the applied patches of a run back", "All or none, the newest first."],
] as const;

const json = (description: string, schema: SchemaName) => ({ description, content: { "application/json": schema } });
