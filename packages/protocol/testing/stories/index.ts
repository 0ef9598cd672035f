import { storedLifecycles } from "../lifecycles/table.ts";
import type { Story } from "../story.ts";
import * as approvals from "./approvals.ts";
import * as endings from "./endings.ts";
import * as extensions from "./extensions.ts";
import { disconnected, limited, lost, pruned } from "./gaps.ts";
import * as limits from "./limits.ts";
import * as mcp from "./mcp.ts";
import { patchAppliedAndReverted } from "./patches.ts";
import { hooksAndRules } from "./policy.ts";
import * as work from "./work.ts";

/** The golden runs, by fixture name. */
export const stories: Readonly<Record<string, () => Story>> = {
  success: work.success,
  "files-and-web": work.filesAndWeb,
  "failing-tools": work.failingTools,
  "approval-approved": approvals.approvalApproved,
  "approval-rejected": approvals.approvalRejected,
  "approval-timed-out": approvals.approvalTimedOut,
  "approval-before-start": approvals.approvalBeforeStart,
  question: approvals.question,
  "mcp-ok": mcp.mcpOk,
  "mcp-tool-error": mcp.mcpToolError,
  "mcp-blocked": mcp.mcpBlocked,
  "hooks-and-rules": hooksAndRules,
  "patch-applied-and-reverted": patchAppliedAndReverted,
  "resume-from-checkpoint": endings.resumeFromCheckpoint,
  forked: endings.forked,
  interrupted: endings.interrupted,
  aborted: endings.aborted,
  crashed: endings.crashed,
  "auth-error": endings.notAllowedIn,
  timeout: endings.tookTooLong,
  "turn-limit": endings.usedAllTurns,
  "context-exceeded": endings.contextFull,
  "budget-exceeded": limits.budgetExceeded,
  "upstream-failure": limits.upstreamFailure,
  "unrecoverable-error": limits.unrecoverable,
  "plugin-and-skill": extensions.pluginAndSkill,
  image: extensions.image,
  "subagent-parent": extensions.subagentParent,
  "subagent-child": extensions.subagentChild,
  disconnected,
  "recording-limited": limited,
};

/** Stored streams that no agent produces: after pruning or damage, and the lifecycles of the runtime. */
export const storedOnly: Readonly<Record<string, () => string[]>> = { pruned, lost, ...storedLifecycles };
