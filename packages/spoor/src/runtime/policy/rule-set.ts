import { folded, foldText, globOf, meets } from "./glob.ts";
import type { Places } from "./paths.ts";
import type { Rule } from "./rule.ts";
import type { Weight } from "./shell/parts.ts";
import type { DecidingRule, Decision, PartVerdict, Subject, Verdict } from "./types.ts";

/** The rules that hold for a workspace, in the order in which they are asked. */
export interface RuleSet {
  /** Built-in rules, the user's `always`, the task's, the user's, and those of trusted projects. The first match decides. */
  ordered: readonly Rule[];
  /** Rules of the project, which can only make a decision stricter. */
  narrowing: readonly Rule[];
  workspace: string;
  home: string;
  /** Both of them, for patterns of paths. It is the same object for all decisions. */
  places: Places;
  yolo: boolean;
  /** Judges a shell text. It is loaded with the first question, because it takes longer to load than all else here. */
  shell: JudgeShell;
  /** What is wrong with the files. While there is something, nothing is allowed. */
  problems: readonly string[];
}

/** Decides about every part of a shell text. */
export type JudgeShell = (set: RuleSet, command: string, where: { cwd: string; agent?: string }) => Judged[];

/** What to look for in the rules. Rules that allow must cover it for certain; those that ask or block need only touch it. */
export interface Query {
  subjects: readonly Subject[];
  agent: string | undefined;
  covers(rule: Rule): boolean;
  touches(rule: Rule): boolean;
  action?: "rewrite";
}

/** Returns the first rule that matches. */
export function firstMatch(set: RuleSet, query: Query, rules: readonly Rule[] = set.ordered): Rule | undefined {
  return rules.find((rule) => {
    if (!query.subjects.includes(rule.subject) || (rule.action === "rewrite") !== (query.action === "rewrite"))
      return false;
    if (!concernsAgent(rule, query.agent)) return false;
    return rule.action === "allow" || rule.action === "rewrite" ? query.covers(rule) : query.touches(rule);
  });
}

/** A judged part. `isDefault`: no rule was about it. */
export type Judged = PartVerdict & { isDefault?: true };

/** Decides about one part by the first matching rule, and then by the project's rules. */
export function judge(set: RuleSet, query: Query & { text: string; weight: Weight; otherwise: Decision }): Judged {
  const { text, weight, otherwise } = query;
  const rule = firstMatch(set, query);
  const counts = (action: Rule["action"]): boolean =>
    weight === "full" || action === "block" || (weight === "rules" && action === "ask");
  const base: Judged =
    rule !== undefined && counts(rule.action)
      ? decidedBy(text, rule)
      : {
          text,
          decision: weight === "full" ? otherwise : "allow",
          reason: reasonOf(otherwise, weight),
          isDefault: true,
        };
  const narrower = firstMatch(set, query, set.narrowing);
  return narrower !== undefined && counts(narrower.action) && rank(narrower.action as Decision) > rank(base.decision)
    ? decidedBy(text, narrower)
    : base;
}

const reasonOf = (otherwise: Decision, weight: Weight): string =>
  weight !== "full"
    ? "No rule blocks this."
    : otherwise === "ask"
      ? "No rule allows this, so it is asked about."
      : "This is allowed unless a rule says otherwise.";

function decidedBy(text: string, rule: Rule): Judged {
  const { action, source, line } = rule;
  const place = {
    builtin: "A built-in rule",
    user: "A rule of the user",
    project: "A rule of the project",
    task: "A rule of the task",
    default: "The default",
  }[source];
  const verb = { allow: "allows", ask: "asks about", block: "blocks", rewrite: "rewrites" }[action];
  return {
    text,
    decision: action as Decision,
    reason: `${place} ${verb} this: ${rule.text}`,
    rule: { text: rule.text, source, line },
  };
}

/** Whether some rule of people blocks this kind of thing, so that it may hide in what cannot be read. */
export function mayHideBlock(set: RuleSet, agent: string | undefined): Rule | undefined {
  const hidden: readonly Subject[] = ["shell", "git", "read", "write", "host"];
  return [...set.ordered, ...set.narrowing].find(
    (rule) =>
      rule.action === "block" &&
      rule.source !== "builtin" &&
      hidden.includes(rule.subject) &&
      concernsAgent(rule, agent),
  );
}

function concernsAgent({ agent: wanted }: Rule, agent: string | undefined): boolean {
  if (wanted === undefined) return true;
  return agent !== undefined && wanted.some((glob) => meets(folded(glob), globOf(foldText(agent))));
}

export const rank = (decision: Decision): number => ({ allow: 0, ask: 1, block: 2 })[decision];

/** The first of the strictest parts. Nothing at all is asked about. */
export function strictest(parts: readonly PartVerdict[]): PartVerdict {
  const [first, ...others] = parts;
  if (first === undefined)
    return { text: "", decision: "ask", reason: "There is nothing to judge, so it is asked about." };
  return others.reduce(
    (found, part) =>
      rank(part.decision) > rank(found.decision) || (part.decision === found.decision && part.rule && !found.rule)
        ? part
        : found,
    first,
  );
}

export function verdictOf(decision: Decision, rule: DecidingRule | undefined, reason: string): Omit<Verdict, "parts"> {
  const policy_id = rule === undefined ? `default:${decision}` : `${rule.source}:${rule.line ?? 0}`;
  return { decision, policy_id, reason, ...(rule && { rule }) };
}
