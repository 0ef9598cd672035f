/** How a run's commands are held: by bubblewrap if it works here, only by bubblewrap, or, if the user says so, not at all. */
export const sandboxChoices = ["auto", "bwrap", "none"] as const;
export type SandboxChoice = (typeof sandboxChoices)[number];

/** Where commands run, and how they are to be held. */
export interface OpenOptions {
  /** Default: `auto`. */
  readonly choice?: SandboxChoice | undefined;
  /** The workspace. */
  readonly root: string;
  /** The data directory. */
  readonly directory: string;
  readonly run_id: string;
  /** The environment of Spoor itself. Commands see little of it. */
  readonly environment: NodeJS.ProcessEnv;
}

/** A command that is to be run. */
export interface PlainCommand {
  readonly argv: readonly [string, ...string[]];
  /** A folder inside the workspace. */
  readonly cwd: string;
  /** Variables that are set beside those that every command gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the command may reach the network. Ask only after rules or a person allowed it. */
  readonly network: boolean;
  /** The command is git alone, without hooks, so that it may also write to a git directory outside the workspace. */
  readonly isGit?: boolean;
}

/** A command as it is really started. */
export interface SandboxedCommand {
  readonly argv: readonly [string, ...string[]];
  /** The whole environment. It holds no keys and no tokens. */
  readonly env: Readonly<Record<string, string>>;
  readonly network: boolean;
  /** What comes on stdout when the command really begins. Before it, the sandbox may still fail, and nothing has run. */
  readonly startMark?: string;
  /**
   * Removes what the sandbox needed in the workspace. Call it when all processes of the command are gone. Returns the paths
   * that the command must not change and that were changed back.
   */
  release(): readonly string[];
}

/** How the commands of a run are held. */
export interface Sandbox {
  readonly layer: "bwrap" | "none";
  /** Why there is no sandbox, or what it cannot hold here. */
  readonly reason?: string;
  /** A person is asked about every command, even if rules allow it: there is no sandbox, and the user did not waive it. */
  readonly asks: boolean;
  /** Returns the command that runs this one inside the sandbox. Throws a `SandboxRefusal` if that cannot be done safely. */
  wrap(command: PlainCommand): SandboxedCommand;
  /** Removes the temporary files of the run's commands. */
  close(): void;
}

/** The sandbox does not run a command, or cannot be opened. Nothing was started. */
export class SandboxRefusal extends Error {
  override readonly name = "SandboxRefusal";
}
