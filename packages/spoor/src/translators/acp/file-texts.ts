import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Envelope } from "@spoor/protocol";
import type { Log } from "../../log/log.ts";
import { hashOfRevision, isSecret, readBlob } from "../../runtime/artifacts/store.ts";
import { maybe, type Payload } from "../translator.ts";
import { fileFields } from "./calls.ts";
import { type FileTexts, MAX_FILE_LENGTH } from "./diffs.ts";

interface Place {
  log: Log;
  directory: string;
}

/**
 * The texts of the file that an event is about, before and after its change, by the id of the patch or approval that the event
 * names. Undefined if they are not known, if a secret was found in them, or if they are no text or too long.
 */
export async function fileTextsOf(
  place: Place,
  { type, data }: Envelope,
): Promise<{ id: string; texts: FileTexts } | undefined> {
  const read = readers[type];
  const id = maybe(data, type === "approval.requested" ? "approval_id" : "artifact_id");
  if (!read || id === undefined) return undefined;
  try {
    const texts = await read(place, id, data);
    return texts && { id, texts };
  } catch {
    // The contents are gone, damaged or no text. The event itself tells what it knows.
    return undefined;
  }
}

const readers: Readonly<Record<string, (place: Place, id: string, data: Payload) => Promise<FileTexts | undefined>>> = {
  "tool.file.patch": textsOfPatch,
  "approval.requested": textsOfApproval,
};

async function textsOfPatch({ log, directory }: Place, artifact_id: string): Promise<FileTexts | undefined> {
  const row = await log.rows.find("artifacts", artifact_id);
  if (row?.kind !== "patch") return undefined;
  const { base_revision, result_revision } = row;
  if (isSecret(directory, [base_revision, result_revision])) return undefined;
  const [oldText, newText] = await Promise.all(
    [base_revision, result_revision].map(async (revision) =>
      revision === null ? undefined : textOf(await readBlob(log, directory, hashOfRevision(revision))),
    ),
  );
  return { ...(oldText !== undefined && { oldText }), newText: newText ?? "" };
}

/** A file that is to be written as a whole is as it was until somebody has answered. */
async function textsOfApproval({ log }: Place, approval_id: string, data: Payload): Promise<FileTexts | undefined> {
  const { content, ...input } = (typeof data.input === "object" && data.input !== null ? data.input : {}) as Payload;
  const file = fileFields.flatMap((field) => maybe(input, field) ?? []).at(0);
  if (typeof content !== "string" || content.length > MAX_FILE_LENGTH || file === undefined) return undefined;
  if ((await log.rows.find("approvals", approval_id))?.status !== "pending") return undefined;
  const bytes = await readFile(path.resolve(maybe(data, "cwd") ?? "/", file)).catch(missing);
  return { ...(bytes && { oldText: textOf(bytes) }), newText: content };
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

function textOf(bytes: Buffer): string {
  if (bytes.length > MAX_FILE_LENGTH) throw new RangeError("The file is too long to be sent.");
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}
