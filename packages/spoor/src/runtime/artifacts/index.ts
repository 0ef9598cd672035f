// The face of `artifacts/` for other folders of the runtime.

export { type CallChanges, type ChangedFile, existedBefore, patchesOfCall } from "./call-events.ts";
export type { ChangeContext } from "./change.ts";
export { type Collected, collectBlobs } from "./collect.ts";
export {
  type ArtifactDraft,
  type ContentInput,
  contentArtifact,
  type NewArtifacts,
  type NewPatch,
  newArtifactId,
  type PatchInput,
  patchArtifact,
} from "./create.ts";
export { type CurrentFile, currentFile } from "./current-file.ts";
export { ArtifactError, artifactHints, type FileConflict, PatchRefused } from "./errors.ts";
export { artifactsOfRun, findArtifact } from "./find.ts";
export { createLimits, type Limits } from "./limits.ts";
export { originOf } from "./origin.ts";
export { type ArtifactRow, artifactJson } from "./record.ts";
export { type Recovered, recoverPending } from "./recover.ts";
export { applyPatch, applyRun, rejectPatch, revertPatch, revertRun } from "./requests.ts";
export { type RunDiff, type RunDiffOptions, runDiff } from "./run-diff.ts";
export { readBlob, revisionOf, type StoredBlob, storeBlob } from "./store.ts";
export { type ArtifactUpkeep, startArtifactUpkeep } from "./upkeep.ts";
