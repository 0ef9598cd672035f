// The face of `workspace/` for other folders of the runtime.

export {
  GENERATION,
  type Hold,
  heldWorkspaces,
  holdEffects,
  holdRow,
  holdWorkspace,
  isHoldRace,
  releaseEffects,
} from "./hold.ts";
export {
  prepareWorkspace,
  removeWorkspace,
  type Workspace,
  type WorkspaceMode,
  type WorkspaceRequest,
} from "./modes.ts";
export { removeOldShadows, removeOldWorkspaces } from "./remove-old.ts";
export { WorkspaceError, type WorkspaceErrorCode } from "./workspace-error.ts";
