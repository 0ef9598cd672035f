import type { Policy, PolicyOptions } from "./types.ts";

/** Reads the rules that hold for a workspace. Without any rule file, everything is asked about. */
export async function loadPolicy(_options: PolicyOptions): Promise<Policy> {
  return {
    problems: [],
    decide: () => ({
      decision: "ask",
      policy_id: "default:ask",
      reason: "No rule allows this, so it is asked about.",
      parts: [],
    }),
    rewriteModel: () => undefined,
  };
}
