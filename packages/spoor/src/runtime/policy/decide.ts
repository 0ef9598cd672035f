import { judgeHost, judgePath } from "./judge.ts";
import { coversText, touchesText, withoutProvider } from "./match-text.ts";
import { followLinks, forgetLinks, isInside } from "./paths.ts";
import { firstMatch, type Judged, judge, type RuleSet, strictest, verdictOf } from "./rule-set.ts";
import type { ModelRewrite, PartVerdict, Policy, PolicyAction, Verdict } from "./types.ts";

/** Makes a policy of rules that are already read. */
export function createPolicy(set: RuleSet): Policy {
  return {
    problems: set.problems,
    decide: (action) => decide(set, action),
    rewriteModel: (model, agent) => rewriteModel(set, model, agent),
  };
}

function decide(set: RuleSet, action: PolicyAction): Verdict {
  forgetLinks();
  const outside = outsideOf(set, action);
  if (outside !== undefined)
    return { decision: "block", policy_id: "builtin:cwd", reason: outside.reason, parts: [outside] };
  const parts = withTool(set, action, partsOf(set, action)).map(({ isDefault: _, ...part }) => part);
  const found = strictest(parts);
  const { decision, rule, reason } = found;
  const verdict = { ...verdictOf(decision, rule, reason), parts };
  if (decision === "allow" && set.problems.length > 0) {
    const [problem] = set.problems;
    return {
      ...verdict,
      decision: "ask",
      policy_id: "default:damaged",
      reason: `Nothing is allowed until the rules can be read: ${problem}`,
    };
  }
  if (decision === "ask" && set.yolo && set.problems.length === 0) {
    return {
      ...verdict,
      decision: "allow",
      policy_id: "default:yolo",
      reason: `Everything that is not blocked is allowed (yolo). Otherwise: ${reason}`,
    };
  }
  return verdict;
}

function partsOf(set: RuleSet, action: PolicyAction): Judged[] {
  switch (action.subject) {
    case "shell":
      return set.shell(set, action.command, action);
    case "git": {
      const command = /^\s*git(\s|$)/.test(action.command) ? action.command : `git ${action.command}`;
      return set.shell(set, command, action);
    }
    case "read":
    case "write":
      return action.paths.map((file) =>
        judgePath(set, action, action.subject, { text: file, forms: [file], dirs: [action.cwd] }),
      );
    case "host":
      return [judgeHost(set, action, { text: action.host, glob: [...action.host], weight: "full" })];
    case "mcp":
      return [judgeText(set, action, `${action.server}/${action.name}`)];
    case "tool":
      return [judgeText(set, action, action.name)];
    case "model":
      return [judgeText(set, action, action.model)];
    case "task":
      return [judgeText(set, action, action.kind)];
  }
}

function judgeText(set: RuleSet, { subject, agent }: PolicyAction, text: string): Judged {
  // Starting a task or using a model is what the user asked for, so a rule must say otherwise.
  const isAsked = subject !== "model" && subject !== "task";
  return judge(set, {
    text,
    subjects: [subject],
    agent,
    covers: (rule) => coversText(rule, text),
    touches: (rule) => touchesText(rule, text),
    weight: "full",
    otherwise: isAsked ? "ask" : "allow",
  });
}

/** Rules about the agent's tool count beside those about what it does. They allow only what no other rule is about. */
function withTool(set: RuleSet, action: PolicyAction, parts: Judged[]): Judged[] {
  const { tool, agent, subject } = action;
  if (tool === undefined || subject === "tool") return parts;
  const query = {
    text: tool,
    subjects: ["tool"] as const,
    agent,
    covers: (rule: Parameters<typeof coversText>[0]) => coversText(rule, tool),
    touches: (rule: Parameters<typeof coversText>[0]) => touchesText(rule, tool),
  };
  const rule = firstMatch(set, query);
  if (rule === undefined) return parts;
  const found = judge(set, { ...query, weight: "full", otherwise: "ask" });
  if (found.decision !== "allow") return [...parts, found];
  return parts.map((part) =>
    part.decision === "ask" && part.isDefault
      ? { ...part, decision: "allow", rule: found.rule, reason: found.reason }
      : part,
  ) as PartVerdict[];
}

function outsideOf({ workspace }: RuleSet, action: PolicyAction): PartVerdict | undefined {
  if (!["shell", "git", "read", "write"].includes(action.subject)) return undefined;
  if (isInside(followLinks(action.cwd), followLinks(workspace))) return undefined;
  return {
    text: action.cwd,
    decision: "block",
    reason: `The folder ${action.cwd} is outside the workspace ${workspace}.`,
  };
}

function rewriteModel(set: RuleSet, model: string, agent: string | undefined): ModelRewrite | undefined {
  const rule = firstMatch(set, {
    subjects: ["model"],
    agent,
    action: "rewrite",
    covers: (one) => coversText(one, model) || coversText(one, withoutProvider(model)),
    touches: () => false,
  });
  if (rule?.to === undefined) return undefined;
  // A rule that names no provider keeps that of the model.
  const provider = model.slice(0, model.indexOf("/") + 1);
  const to = coversText(rule, model) || rule.to.includes("/") ? rule.to : `${provider}${rule.to}`;
  if (to === model) return undefined;
  return { model: to, reason: `rewrite rule: ${rule.text}`, policy_id: `${rule.source}:${rule.line}` };
}
