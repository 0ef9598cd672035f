import { createHash } from "node:crypto";
import type { Log } from "../../log/log.ts";
import type { ArtifactError } from "../../runtime/artifacts/errors.ts";
import { HttpError, type HttpErrorCode } from "../http/http-error.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import type { RouteCall } from "../http/route.ts";

/** Reads the body of a request about a patch. */
export function readPatchRequest(body: unknown, verb: string): { hunks?: number[]; reason?: string } {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new HttpError("invalid_body", "The body must be a JSON object.");
  const { hunks, reason, ...rest } = body as { hunks?: unknown; reason?: unknown };
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new HttpError("invalid_body", `The body has an unknown field ${JSON.stringify(unknown.slice(0, 40))}.`);
  if (reason !== undefined && typeof reason !== "string") throw new HttpError("invalid_body", "reason must be text.");
  if (hunks === undefined) return reason === undefined ? {} : { reason };
  if (verb === "reject") throw new HttpError("invalid_body", "Only a whole patch can be rejected, so leave hunks out.");
  const isList = Array.isArray(hunks) && hunks.every((hunk) => Number.isSafeInteger(hunk) && hunk >= 0);
  if (!isList) throw new HttpError("invalid_body", "hunks must be a list of whole numbers, counted from 0.");
  return { hunks: hunks as number[], ...(reason !== undefined && { reason }) };
}

/** Reads the body of a request about the patches of a run. */
export function readRunPatchesRequest(body: unknown, verb: "apply" | "revert"): RunPatches {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new HttpError("invalid_body", "The body must be a JSON object.");
  const { files, artifact_ids, target = "workspace", reason, ...rest } = body as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new HttpError("invalid_body", `The body has an unknown field ${JSON.stringify(unknown.slice(0, 40))}.`);
  for (const [name, list] of Object.entries({ files, artifact_ids })) {
    if (list !== undefined && !(Array.isArray(list) && list.every((item) => typeof item === "string")))
      throw new HttpError("invalid_body", `${name} must be a list of texts.`);
  }
  if (reason !== undefined && typeof reason !== "string") throw new HttpError("invalid_body", "reason must be text.");
  if (target !== "workspace" && target !== "origin")
    throw new HttpError("invalid_body", "target must be workspace or origin.");
  if (verb === "revert" && target === "origin")
    throw new HttpError("invalid_body", "Only the run's own folder can be reverted, so leave target out.");
  return {
    target,
    ...(files !== undefined && { files: files as string[] }),
    ...(artifact_ids !== undefined && { artifact_ids: artifact_ids as string[] }),
    ...(reason !== undefined && { reason: reason as string }),
  };
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
