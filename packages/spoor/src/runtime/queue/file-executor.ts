import { randomBytes } from "node:crypto";
import { type FoundFile, readBeneath } from "../artifacts/beneath.ts";
import { ArtifactError, createLimits, patchesOfCall } from "../artifacts/index.ts";
import {
  changedSince,
  type PlannedWrite,
  removeTemporaries,
  replaceFiles,
  writeTemporaries,
} from "../artifacts/write-files.ts";
import type { RunEvent } from "../commit.ts";
import { createRedactor } from "../redaction/index.ts";
import type { TaskSpec } from "../specification/spec.ts";
import { announceCall, callIdOf } from "./announce-call.ts";
import type { Execution, Executor } from "./executor.ts";
import { endOfRun } from "./own-run.ts";

/** Performs runs of the kind `file`: writes, appends to or deletes one file, and keeps the change as a patch. */
export const createFileExecutor = (): Executor => ({ name: "worker", execute: executeFile });

async function executeFile(execution: Execution): Promise<void> {
  const { log, directory, claim, spec } = execution;
  const { run } = claim;
  const { operation = "write", path: given = "" } = spec;
  const file = given.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const root = run.workspace_path ?? process.cwd();
  const redactor = createRedactor();
  const call = { tool_call_id: callIdOf(run), tool_name: "file", kind: "file" };
  const startedAt = performance.now();
  const own = await announceCall(execution, call, {
    ...{ cwd: root, redactor, environment: process.env },
    detail: `${operation} ${file}`,
    input: { operation, path: file, content: spec.content },
  });
  if (!own) return;
  const fail = async (message: string): Promise<void> =>
    own.end([["tool.failed", { ...call, error: message }]], endOfRun("failed", { code: "file_refused", message }));

  let edit: PlannedWrite;
  try {
    edit = await planOf(root, file, spec);
  } catch (error) {
    return fail(messageOf(error));
  }
  await own.commit([["tool.started", call]]);
  if (!execution.mayAct()) return;
  try {
    await replace(root, edit);
  } catch (error) {
    return fail(messageOf(error));
  }
  const { before, after } = edit;
  const changes = await patchesOfCall(directory, {
    files: [
      {
        run_id: run.run_id,
        task_id: run.task_id,
        tool_call_ids: [call.tool_call_id],
        path: file,
        before: before?.bytes,
        after: after?.bytes,
        ...(after && { mode: after.mode }),
        ...(before && { before_mode: before.mode }),
        operation,
        attribution: "call",
        redact: (text) => redactor.redact(text),
        limits: createLimits(log),
      },
    ],
    tool_name: "file",
    at: Date.now(),
  });
  const [patch] = changes.patches;
  const completed = {
    ...call,
    duration_ms: Math.round(performance.now() - startedAt),
    summary: `${file}: ${patch?.summary ?? operation}`,
  };
  const events = changes.drafts.map(({ type, data }): RunEvent => [type, data]);
  // The rows of artifacts follow from their events.
  const blobs = changes.effects.filter(({ table }) => table === "blobs");
  await own.end([["tool.completed", completed], ...events], endOfRun("completed"), blobs);
}

/** What the file holds and what it shall hold. Throws if the change cannot be made. */
async function planOf(root: string, file: string, { operation, content = "" }: TaskSpec): Promise<PlannedWrite> {
  const before = await readBeneath(root, file);
  const temporary = `.spoor-${randomBytes(8).toString("hex")}.tmp`;
  if (operation === "delete") {
    if (!before) throw new ArtifactError("conflict", `There is no file ${file} to delete.`);
    return { path: file, temporary, before, after: undefined };
  }
  const bytes = Buffer.from(content);
  const whole = operation === "append" && before ? Buffer.concat([before.bytes, bytes]) : bytes;
  const after: FoundFile = { bytes: whole, mode: before?.mode ?? 0o100644 };
  return { path: file, temporary, before, after };
}

async function replace(root: string, edit: PlannedWrite): Promise<void> {
  const folders: string[] = [];
  try {
    await writeTemporaries(root, [edit], (folder) => folders.push(folder));
    const [changed] = await changedSince(root, [edit]);
    if (changed)
      throw new ArtifactError("conflict", `${edit.path} was changed by somebody else meanwhile. Nothing was written.`);
    await replaceFiles(root, [edit]);
  } catch (error) {
    await removeTemporaries(root, [edit], folders).catch(() => {});
    throw error;
  }
}

const messageOf = (error: unknown): string => (error as Error).message;
