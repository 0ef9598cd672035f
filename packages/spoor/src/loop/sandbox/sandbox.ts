/** A command as it is really started. */
export interface SandboxedCommand {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** How the commands of a run are held. */
export interface Sandbox {
  readonly layer: "bwrap" | "none";
  /** Why there is no sandbox. */
  readonly reason?: string;
  /** Returns the command that runs this one inside the sandbox. Throws if the sandbox refuses it. */
  wrap(command: {
    argv: readonly [string, ...string[]];
    cwd: string;
    env: Readonly<Record<string, string>>;
    network: boolean;
  }): SandboxedCommand;
}
