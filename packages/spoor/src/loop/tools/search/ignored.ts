import ignore, { type Ignore } from "ignore";

/** The rules of the `.gitignore` files on the way to a folder, the outermost first. */
export type IgnoreRules = readonly { prefix: string; rules: Ignore }[];

/** Adds the rules of a folder's own file. `prefix` is the folder's path with a slash at its end, or empty. */
export function withRules(known: IgnoreRules, prefix: string, text: string): IgnoreRules {
  return [...known, { prefix, rules: ignore().add(text) }];
}

/** Whether git would ignore a path; that of a folder ends with a slash. The rules of inner folders come first. */
export function isIgnored(known: IgnoreRules, path: string): boolean {
  for (const { prefix, rules } of known.toReversed()) {
    const { ignored, unignored } = rules.test(path.slice(prefix.length));
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}
