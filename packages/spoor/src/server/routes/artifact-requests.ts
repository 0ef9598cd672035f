import { createHash } from "node:crypto";
import type { Log } from "../../log/log.ts";
import type { ArtifactError } from "../../runtime/artifacts/errors.ts";
import { HttpError, type HttpErrorCode } from "../http/http-error.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import type { RouteCall } from "../http/route.ts";
import { type FieldKind, oneOf, readFields, text, texts, whole } from "./read-fields.ts";

/** Reads the body of a request about a patch. */
export function readPatchRequest(body: unknown, verb: string): { hunks?: number[]; reason?: string } {
  const fields = readFields(body, { optional: { hunks, reason: text }, code: "invalid_body" });
  if (fields.hunks && verb === "reject")
    throw new HttpError("invalid_body", "Only a whole patch can be rejected, so leave hunks out.");
  return fields;
}

const hunks: FieldKind<number[]> = {
  words: "a list of whole numbers, counted from 0",
  fits: (value): value is number[] => Array.isArray(value) && value.every((hunk) => whole.fits(hunk) && hunk >= 0),
};

/** Reads the body of a request about the patches of a run. */
export function readRunPatchesRequest(body: unknown, verb: "apply" | "revert"): RunPatches {
  const optional = { files: texts, artifact_ids: texts, target: oneOf("workspace", "origin"), reason: text };
  const { target = "workspace", ...chosen } = readFields(body, { optional, code: "invalid_body" });
  if (verb === "revert" && target === "origin")
    throw new HttpError("invalid_body", "Only the run's own folder can be reverted, so leave target out.");
  return { target, ...chosen };
}

export interface RunPatches {
  target: "workspace" | "origin";
  files?: string[];
  artifact_ids?: string[];
  reason?: string;
}

/** What a key stands for, and whether it is new. */
export interface PatchRequestKey {
  isNew: boolean;
  request: { key: string; body_hash: string };
  /** What the first request with this key changed. */
  artifact_ids: readonly string[];
}

/** The idempotency key of a request. A key that was used for another request is refused. */
export async function requestKeyOf(
  log: Log,
  { request }: RouteCall,
  asked: object,
): Promise<PatchRequestKey | undefined> {
  const key = idempotencyKeyOf(request);
  if (key === undefined) return undefined;
  const body_hash = createHash("sha256").update(JSON.stringify(asked)).digest("hex");
  const used = await log.rows.find("requests", key);
  if (used && used.body_hash !== body_hash)
    throw new HttpError("key_reused", "This Idempotency-Key was already used for a different request.");
  const { artifact_ids = [] } = (used ? JSON.parse(used.made) : {}) as { artifact_ids?: string[] };
  return { isNew: !used, request: { key, body_hash }, artifact_ids };
}

/** Turns a refused request about an artifact into an answer. */
export function asHttpError(error: unknown, Refused: typeof ArtifactError): unknown {
  if (!(error instanceof Refused)) return error;
  const { code, message, conflicts } = error;
  return new HttpError(codes[code], message, {}, conflicts.length > 0 ? { files: conflicts } : undefined);
}

const codes: Record<ArtifactError["code"], HttpErrorCode> = {
  not_found: "artifact_not_found",
  conflict: "conflict",
  wrong_status: "wrong_status",
  workspace_busy: "workspace_busy",
  refused: "path_refused",
  not_revertible: "not_revertible",
  invalid: "invalid",
  damaged: "damaged",
  missing: "content_gone",
};
