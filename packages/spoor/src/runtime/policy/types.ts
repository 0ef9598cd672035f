/** What a rule or a whole policy says about an action. */
export type Decision = "allow" | "ask" | "block";

/** What rules are about. */
export const subjects = ["shell", "git", "read", "write", "host", "mcp", "tool", "model", "task"] as const;
/** What a rule is about. */
export type Subject = (typeof subjects)[number];

/** Where a rule comes from. `default` is what holds when no rule matches. */
export type RuleSource = "builtin" | "user" | "project" | "task" | "default";

/** Something that an agent, a tool or a task wants to do. */
export type PolicyAction = {
  /** The agent that asks, for rules with `agent=`. */
  agent?: string;
  /** The folder in which the action would happen. */
  cwd: string;
  /** The name of the agent's tool, for `tool` rules. */
  tool?: string;
} & (
  | { subject: "shell" | "git"; command: string }
  | { subject: "read" | "write"; paths: readonly string[] }
  | { subject: "host"; host: string }
  | { subject: "mcp"; server: string; name: string }
  | { subject: "tool"; name: string }
  | { subject: "model"; model: string }
  | { subject: "task"; kind: string }
);

/** The rule that decided. */
export interface DecidingRule {
  text: string;
  source: RuleSource;
  /** The line of the rule's file, from 1. */
  line?: number;
}

/** One judged part of an action: a command of a chain, a path, a host. */
export interface PartVerdict {
  text: string;
  decision: Decision;
  reason: string;
  rule?: DecidingRule;
}

/** What a policy decides about an action, and why. */
export interface Verdict {
  decision: Decision;
  rule?: DecidingRule;
  /** Names the rule in events: `user:12`, `builtin:3`, `default:ask`. */
  policy_id: string;
  /** A sentence for people. */
  reason: string;
  /** What was judged. The decision is the strictest of them. */
  parts: readonly PartVerdict[];
}

/** The result of a `rewrite model` rule. */
export interface ModelRewrite {
  model: string;
  reason: string;
  policy_id: string;
}

/** Which rules hold. */
export interface PolicyOptions {
  /** The data directory, which holds the user's `policy.rules`. */
  directory: string;
  /** The workspace. Its `.spoor/policy.rules` is the project's file. */
  cwd: string;
  /** The rules of the task. */
  task?: readonly string[];
  /** Turns `ask` into `allow`. A `block` stays. */
  yolo?: boolean;
  /** The user's home folder. Default: that of the process. */
  home?: string;
}

/** The rules that hold for a workspace. */
export interface Policy {
  decide(action: PolicyAction): Verdict;
  /** Returns the model to use instead, or undefined if no rule changes it. */
  rewriteModel(model: string, agent?: string): ModelRewrite | undefined;
  /** What is wrong with the rule files. Everything that a damaged file would govern is asked about. */
  readonly problems: readonly string[];
}

/** The rules that hold for models. */
export interface ModelPolicy extends Pick<Policy, "rewriteModel"> {
  decide(action: Extract<PolicyAction, { subject: "model" }>): Verdict;
}
