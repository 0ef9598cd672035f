/**
 * Says why a request about an artifact was not carried out. `code` is for programs; nothing was written.
 *
 * @example
 * await revertPatch({ log, directory: "./runs" }, { artifact_id: "art_01K9ZC0000SP00R00000000000", by: "ann" }).catch((error) => {
 *   if (error instanceof ArtifactError && error.code === "conflict") console.error(error.conflicts);
 * });
 */
export class ArtifactError extends Error {
  override readonly name: string = "ArtifactError";
  readonly code: ArtifactErrorCode;
  /** For conflicts: the files, and their hashes as they should be and as they are. */
  readonly conflicts: readonly FileConflict[];

  constructor(code: ArtifactErrorCode, message: string, conflicts: readonly FileConflict[] = []) {
    super(message);
    this.code = code;
    this.conflicts = conflicts;
  }
}

/** Why a request about an artifact failed. */
export type ArtifactErrorCode = keyof typeof artifactHints;

/** What to do about it. */
export const artifactHints = {
  not_found: "List the artifacts with `spoor patches RUN` or GET /v1/artifacts.",
  conflict: "Look at the file, undo or keep what changed in it since, and try again. Nothing was written.",
  wrong_status: "Look at its status with `spoor patch show ID`.",
  workspace_busy: "Wait until the run is over, or cancel it first.",
  refused: "Spoor never writes this path or this kind of file. Make the change yourself if you want it.",
  not_revertible: "Spoor did not keep the bytes of this file. Restore it from your own version control.",
  invalid: "Choose hunks and files that the patch has: `spoor patch show ID` lists them.",
  damaged: "The stored bytes do not match their hash. Restore the data directory from a backup.",
  missing: "The stored bytes are gone. They may have been pruned.",
} as const;

/** A file that is not as it must be. A hash is absent where the file does not exist. */
export interface FileConflict {
  path: string;
  expected?: string;
  actual?: string;
  /** The hunk that does not fit. */
  hunk?: number;
}

/** A path or a kind of file that patches may never write. */
export class PatchRefused extends ArtifactError {
  override readonly name = "PatchRefused";
  readonly path: string;
  /** The reason, without the path. */
  readonly why: string;

  constructor(path: string, why: string) {
    super("refused", `The patch may not write ${JSON.stringify(path)}: ${why}.`);
    this.path = path;
    this.why = why;
  }
}
