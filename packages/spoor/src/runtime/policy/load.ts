import { homedir } from "node:os";
import path from "node:path";
import { builtinRules } from "./builtin.ts";
import { createPolicy } from "./decide.ts";
import { readRuleFile } from "./files.ts";
import { findProjectFiles } from "./project-files.ts";
import { parseRules, type Rule } from "./rule.ts";
import type { RuleSet } from "./rule-set.ts";
import { isTrusted, readTrusted } from "./trust.ts";
import type { ModelPolicy, Policy, PolicyOptions } from "./types.ts";

/**
 * Reads the rules that hold for a workspace. The files are read before this returns its promise; loading the shell parser
 * takes some more time.
 *
 * @example
 * const policy = await loadPolicy({ directory: dataDirectory(), cwd: process.cwd() });
 * policy.decide({ subject: "shell", command: "git push", cwd: process.cwd() }).decision; // "ask"
 */
export function loadPolicy(options: PolicyOptions): Promise<Policy> {
  return preparePolicy(options)();
}

/**
 * Reads the files now, so that an agent cannot change them before its first question, and the parser when the policy is
 * first asked for.
 *
 * @example
 * const prepared = preparePolicy({ directory: "data", cwd: process.cwd() });
 * const policy = await prepared();
 */
export function preparePolicy(options: PolicyOptions): () => Promise<Policy> {
  const rules = readRules(options);
  let loading: Promise<Policy> | undefined;
  const load = async (): Promise<Policy> => {
    const [{ loadShellParser }, { createShellJudge }] = await Promise.all([
      import("./shell/parser.ts"),
      import("./judge-shell.ts"),
    ]);
    return createPolicy({ ...rules, shell: createShellJudge(await loadShellParser()) });
  };
  return () => {
    loading ??= load();
    return loading;
  };
}

/** Reads the rules about models, which need no shell parser. */
export function readModelPolicy(options: PolicyOptions): ModelPolicy {
  const shell = () => {
    throw new Error("Commands are not judged here.");
  };
  return createPolicy({ ...readRules(options), shell });
}

function readRules({
  directory,
  cwd,
  task = [],
  yolo = false,
  home = homedir(),
}: PolicyOptions): Omit<RuleSet, "shell"> {
  const workspace = path.resolve(cwd);
  const data = path.resolve(directory);
  const problems: string[] = [];
  const note = ({
    rules,
    problems: found,
  }: {
    rules: readonly Rule[];
    problems: readonly string[];
  }): readonly Rule[] => {
    problems.push(...found);
    // Of a damaged file, only what makes the policy stricter counts.
    return found.length === 0 ? rules : rules.filter(({ action }) => action === "ask" || action === "block");
  };
  const user = note(readRuleFile(path.join(data, "policy.rules"), "user"));
  const ofTask = note(parseRules(task.join("\n"), "task", "the task's policy"));
  const projects = findProjectFiles(workspace, data).map((file) => ({ file, ...readRuleFile(file, "project") }));
  const trusted = projects.length === 0 ? [] : readTrustedOrNote(data, problems);
  const narrowing = projects
    .flatMap((project) => note(project))
    .filter(({ action }) => action === "ask" || action === "block");
  const widening = projects.flatMap(({ real, sha256, rules, problems: found }) =>
    found.length === 0 && real !== undefined && sha256 !== undefined && isTrusted(trusted, real, sha256) ? rules : [],
  );
  return {
    ordered: [
      ...builtinRules(data),
      ...user.filter(({ always }) => always),
      ...ofTask,
      ...user.filter(({ always }) => !always),
      ...widening,
    ],
    narrowing,
    workspace,
    home,
    places: { workspace, home },
    yolo,
    problems,
  };
}

function readTrustedOrNote(directory: string, problems: string[]): ReturnType<typeof readTrusted> {
  try {
    return readTrusted(directory);
  } catch (error) {
    problems.push((error as Error).message);
    return [];
  }
}
