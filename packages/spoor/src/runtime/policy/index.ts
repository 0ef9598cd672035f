export type { Hook, HookEvent, Hooks } from "../../options/config/hooks.ts";
export {
  type HookDecision,
  type HookOutcome,
  type HooksResult,
  type RunHooksOptions,
  runHooks,
  withHooks,
} from "./hooks.ts";
export { loadPolicy, preparePolicy } from "./load.ts";
export type {
  DecidingRule,
  Decision,
  ModelRewrite,
  PartVerdict,
  Policy,
  PolicyAction,
  PolicyOptions,
  RuleSource,
  Subject,
  Verdict,
} from "./types.ts";
