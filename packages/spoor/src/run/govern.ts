import type { Adapter, LaunchRequest } from "../agents/machine.ts";

/** A run that is about to be prepared, as its options ask for it. */
export interface WantedRun {
  adapter: Adapter;
  request: LaunchRequest;
  /** The dialect that the caller named, if any. */
  dialect?: string;
  /** The folder of the user's configuration. */
  configFolder: string;
}

/** What rules make of a run before it starts. */
export interface Governed {
  request: LaunchRequest;
  /**
   * Whether the agent asks only because rules or hooks decide. Nobody wants to be asked then: what they do not forbid is
   * allowed.
   */
  isHeld?: boolean;
  /** Set if a rule replaced the requested model. */
  rewrite?: RewrittenModel;
  /** What the rules cannot hold. */
  warning?: string;
}

/** A model that a rule replaced. */
export interface RewrittenModel {
  from_model: string;
  to_model: string;
  reason: string;
  policy_id: string;
}

/** Applies the user's rules to a run before it starts. Throws if a rule forbids the run. */
export type Govern = (wanted: WantedRun) => Governed;
