import type {
  ArtifactAnswer,
  ArtifactList,
  ArtifactRecord,
  ArtifactsQuery,
  CurrentFileAnswer,
  PatchRequest,
  RunDiffAnswer,
  RunDiffQuery,
  RunPatchesRequest,
} from "../api/artifacts.ts";
import { type Connector, requestJson } from "./http.ts";
import type { CancelSignal } from "./web-platform.ts";

/** What a run changed, as one diff. */
export type RunDiffRecord = RunDiffAnswer["data"];

/** The file of a patch as it is now. */
export type CurrentFileRecord = CurrentFileAnswer["data"];

/** Options of a request that changes a patch. */
export interface ChangeCallOptions {
  signal?: CancelSignal | undefined;
  idempotencyKey?: string | undefined;
}

/** The requests about artifacts. */
export interface ArtifactCalls {
  /** Returns a page of artifacts, newest first. */
  list(query?: ArtifactsQuery, options?: { signal?: CancelSignal | undefined }): Promise<ArtifactList>;
  /** Returns one artifact; a patch comes with its diff. */
  get(artifactId: string, options?: { signal?: CancelSignal | undefined }): Promise<ArtifactRecord>;
  /** Returns how the file of a patch differs now from what the patch needs. */
  file(artifactId: string, options?: { signal?: CancelSignal | undefined }): Promise<CurrentFileRecord>;
  /** Writes a proposed patch, or some of its hunks, to its file. */
  apply(artifactId: string, request?: PatchRequest, options?: ChangeCallOptions): Promise<ArtifactRecord>;
  /** Decides that a proposed patch is not applied. */
  reject(artifactId: string, request?: PatchRequest, options?: ChangeCallOptions): Promise<ArtifactRecord>;
  /** Takes an applied patch, or some of its hunks, back. */
  revert(artifactId: string, request?: PatchRequest, options?: ChangeCallOptions): Promise<ArtifactRecord>;
}

/** The requests of a client about artifacts. Retries of a change use one idempotency key, so it happens once. */
export function artifactCalls(connector: Connector, nextKey: () => string): ArtifactCalls {
  const place = (id: string) => `/v1/artifacts/${encodeURIComponent(id)}`;
  const change =
    (verb: "apply" | "reject" | "revert"): ArtifactCalls["apply"] =>
    async (id, body = {}, { idempotencyKey = nextKey(), signal } = {}) => {
      const request = { path: `${place(id)}/${verb}`, expect: "artifact", post: { body, idempotencyKey }, signal };
      return (await requestJson<ArtifactAnswer>(connector, request)).data;
    };
  return {
    list: (query = {}, { signal } = {}) =>
      requestJson<ArtifactList>(connector, { path: "/v1/artifacts", query, expect: "list", signal }),
    get: async (id, { signal } = {}) =>
      (await requestJson<ArtifactAnswer>(connector, { path: place(id), expect: "artifact", signal })).data,
    file: async (id, { signal } = {}) =>
      (await requestJson<CurrentFileAnswer>(connector, { path: `${place(id)}/file`, expect: "current_file", signal }))
        .data,
    apply: change("apply"),
    reject: change("reject"),
    revert: change("revert"),
  };
}

/** Returns what a run changed as one diff. */
export async function requestRunDiff(
  connector: Connector,
  runId: string,
  query: RunDiffQuery = {},
  { signal }: { signal?: CancelSignal | undefined } = {},
): Promise<RunDiffRecord> {
  const path = `/v1/runs/${encodeURIComponent(runId)}/diff`;
  return (await requestJson<RunDiffAnswer>(connector, { path, query, expect: "diff", signal })).data;
}

/** Applies or reverts patches of a run: all of them or none. Returns them as they are then. */
export async function changeRunPatches(
  connector: Connector,
  verb: "apply" | "revert",
  runId: string,
  body: RunPatchesRequest,
  { idempotencyKey, signal }: { idempotencyKey: string; signal?: CancelSignal | undefined },
): Promise<ArtifactRecord[]> {
  const path = `/v1/runs/${encodeURIComponent(runId)}/${verb}`;
  return (await requestJson<ArtifactList>(connector, { path, expect: "list", post: { body, idempotencyKey }, signal }))
    .data;
}
