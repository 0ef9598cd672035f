import path from "node:path";
import { hidden, judgeHost, judgePath } from "./judge.ts";
import { coversWords, touchesWords } from "./match-words.ts";
import { coversPath, followLinks, formsOf, isInside } from "./paths.ts";
import type { Rule } from "./rule.ts";
import { firstMatch, type Judged, type JudgeShell, judge, type RuleSet } from "./rule-set.ts";
import type { ParseShell } from "./shell/parser.ts";
import type { ShellPart } from "./shell/parts.ts";
import { readShell } from "./shell/read-shell.ts";

/** Commands that only steer others. What they use is judged as a path. */
const steering =
  /^(cd|chdir|pushd|popd|true|false|:|test|\[|pwd|exit|return|break|continue|shift|wait|set|local|export|readonly|declare|typeset|unset|read)$/;

/** Decides about every part of a shell text that this parser reads. The same part is judged once. */
export const createShellJudge =
  (parse: ParseShell): JudgeShell =>
  (set, command, { cwd, agent }) =>
    judgeParts(set, command, readShell(command, { parse, home: set.home, cwd }), cwd, agent);

function judgeParts(
  set: RuleSet,
  command: string,
  parts: readonly ShellPart[],
  cwd: string,
  agent: string | undefined,
): Judged[] {
  const exact = exactRule(set, command, agent);
  let dirs = [cwd];
  const found: ShellJudged[] = [];
  for (const part of parts) {
    if (part.kind === "folder") {
      const { literal } = part.word;
      const next = dirs.flatMap((dir) => (literal === undefined ? [] : formsOf(literal, dir, set.home)));
      found.push(judgeFolder(set, part, next, agent));
      dirs = [...new Set([...dirs, ...next])].slice(0, 16);
    } else found.push(judgePart(set, part, dirs, agent));
  }
  const judged = found.map((part) =>
    exact !== undefined && part.mayBeExact && part.decision !== "allow" ? byExact(part, exact) : part,
  );
  return withoutRepeats(judged).map(({ mayBeExact: _, ...part }) => part);
}

/** `mayBeExact`: a rule with the exact text of the whole command may allow it. */
type ShellJudged = Judged & { mayBeExact?: boolean };

function judgePart(
  set: RuleSet,
  part: Exclude<ShellPart, { kind: "folder" }>,
  dirs: readonly string[],
  agent: string | undefined,
): ShellJudged {
  const { text } = part;
  if (part.kind === "opaque") {
    const found = hidden(set, agent, text, part.reason);
    // A text that nobody can read is never allowed unasked.
    const decision = part.unread && set.yolo ? "block" : found.decision;
    return { ...found, decision, mayBeExact: !part.unread };
  }
  if (part.kind === "host")
    return judgeHost(
      set,
      { ...(agent !== undefined && { agent }) },
      { text: part.word.literal ?? text, glob: part.word.glob, weight: part.weight },
    );
  if (part.kind !== "command") {
    const { word, weight, kind } = part;
    const shown = `${kind} ${word.literal ?? text}`;
    return judgePath(set, { ...(agent !== undefined && { agent }) }, kind, {
      text: shown,
      forms: [word.literal ?? word.glob],
      dirs,
      weight,
    });
  }
  const name = part.words[0]?.literal ?? "";
  const isImplied = part.implied || steering.test(name);
  const judged = judge(set, {
    text,
    subjects: ["shell", "git"],
    agent,
    covers: (rule) => matches(rule, part.words, (patterns, words) => coversWords(patterns, words)),
    touches: (rule) =>
      [part.words, ...part.also].some((words) =>
        matches(rule, words, (patterns, list) => touchesWords(patterns, list, rule.action === "block"), true),
      ),
    weight: isImplied ? "rules" : "full",
    otherwise: "ask",
  });
  return { ...judged, mayBeExact: judged.decision === "ask" };
}

/** A rule about git is one about the shell whose first word is `git`. */
function matches(
  rule: Rule,
  words: Extract<ShellPart, { kind: "command" }>["words"],
  test: (patterns: Rule["patterns"], words: Extract<ShellPart, { kind: "command" }>["words"]) => boolean,
  isLoose = false,
): boolean {
  if (rule.subject === "shell") return test(rule.patterns, words);
  const name = words[0]?.literal ?? "";
  const isGit = isLoose
    ? path.posix
        .basename(name)
        .toLowerCase()
        .replace(/\.exe$/, "") === "git"
    : name === "git";
  if (!isGit) return false;
  return test([{ text: "git", rest: false, alternatives: [[..."git"]] }, ...rule.patterns], words);
}

function judgeFolder(
  set: RuleSet,
  { text, word }: Extract<ShellPart, { kind: "folder" }>,
  next: readonly string[],
  agent: string | undefined,
): ShellJudged {
  if (word.literal === undefined)
    return { ...hidden(set, agent, text, "It works in a folder that is computed."), mayBeExact: true };
  const { workspace } = set;
  if (next.every((dir) => isInside(dir, workspace) || isInside(dir, followLinks(workspace))))
    return { text, decision: "allow", reason: "The folder is in the workspace." };
  const allowed = firstMatch(set, {
    subjects: ["read"],
    agent,
    covers: (rule) => coversPath(rule, next, set.places),
    touches: () => false,
  });
  if (allowed?.action === "allow")
    return {
      text,
      decision: "allow",
      reason: `A rule allows the folder: ${allowed.text}`,
      rule: { text: allowed.text, source: allowed.source, line: allowed.line },
    };
  return {
    text,
    decision: "block",
    reason: `The folder ${next[0]} is outside the workspace. A rule such as \`allow read ${next[0]}/**\` lets commands work there.`,
  };
}

/** The rule that allows exactly this text, unless a block that always holds is in force. */
function exactRule(set: RuleSet, command: string, agent: string | undefined): Rule | undefined {
  const text = command.trim();
  const always = set.ordered.some(
    (rule) => rule.always && rule.source !== "builtin" && (rule.subject === "shell" || rule.subject === "git"),
  );
  if (always) return undefined;
  const isSame = (rule: Rule): boolean => (rule.subject === "git" ? `git ${rule.written}` : rule.written) === text;
  return firstMatch(set, { subjects: ["shell", "git"], agent, covers: isSame, touches: () => false });
}

const byExact = (part: ShellJudged, { text, source, line }: Rule): ShellJudged => ({
  ...part,
  decision: "allow",
  reason: `A rule allows exactly this text: ${text}`,
  rule: { text, source, line },
});

/** Drops parts that say the same, and those that say nothing beside others. */
function withoutRepeats(parts: readonly ShellJudged[]): ShellJudged[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    const key = JSON.stringify([part.text, part.decision, part.reason]);
    if (
      seen.has(key) ||
      (part.reason === "No rule blocks this." && parts.some((other) => other.reason !== part.reason))
    )
      return false;
    seen.add(key);
    return true;
  });
}
