export type WorkspaceErrorCode = "workspace_invalid" | "workspace_busy";

/** A workspace cannot be made or used. The message says why and what to do. */
export class WorkspaceError extends Error {
  override readonly name = "WorkspaceError";
  readonly code: WorkspaceErrorCode;
  /** The run that uses the workspace, with `workspace_busy`, and where. */
  readonly holder: { run_id: string; path: string } | undefined;

  constructor(code: WorkspaceErrorCode, message: string, holder?: { run_id: string; path: string }) {
    super(message);
    this.code = code;
    this.holder = holder;
  }
}
