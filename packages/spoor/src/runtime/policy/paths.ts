import { lstatSync, readlinkSync } from "node:fs";
import path from "node:path";
import { ANY as anyText, fits, folded, foldText, type Glob, globOf, literalOf, meets } from "./glob.ts";
import type { PatternWord, Rule } from "./rule.ts";

/** The places that paths are relative to. */
export interface Places {
  workspace: string;
  home: string;
}

/** Returns the forms in which a path can be judged: as written, and with every link followed. All of them count. */
export function formsOf(typed: string, cwd: string, home: string): string[] {
  const expanded = typed === "~" || typed.startsWith("~/") ? home + typed.slice(1) : typed;
  const written = path.resolve(cwd, expanded);
  const real = followLinks(path.isAbsolute(expanded) ? expanded : `${cwd}/${expanded}`);
  return [...new Set([written, real, followLinks(written)])];
}

/** Resolves links and `..` one after the other, as the system does. What does not exist stays as it is. */
export function followLinks(file: string): string {
  let seen = 0;
  const todo = file.split("/").reverse();
  let done = "";
  while (todo.length > 0) {
    const name = todo.pop() ?? "";
    if (name === "" || name === ".") continue;
    if (name === "..") {
      done = path.dirname(done === "" ? "/" : done);
      if (done === "/") done = "";
      continue;
    }
    const next = `${done}/${name}`;
    const target = seen < 64 ? linkTarget(next) : undefined;
    if (target === undefined) done = next;
    else {
      seen += 1;
      if (target.startsWith("/")) done = "";
      todo.push(...target.split("/").reverse());
    }
  }
  return done === "" ? "/" : done;
}

let targets = new Map<string, string | undefined>();

/** Forgets what links point to. A decision looks at each path once, and the next one looks again. */
export function forgetLinks(): void {
  targets = new Map();
}

function linkTarget(file: string): string | undefined {
  if (targets.has(file)) return targets.get(file);
  const target = readTarget(file);
  targets.set(file, target);
  return target;
}

function readTarget(file: string): string | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(file) : undefined;
  } catch {
    // It may not be looked at.
    return undefined;
  }
}

export const isInside = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** Returns whether a rule certainly covers a path: a relative pattern of an `allow` never leaves the workspace. */
export function coversPath({ patterns }: Rule, forms: readonly string[], places: Places): boolean {
  return forms.every((form) =>
    patterns.some((pattern) => absoluteGlobs(pattern, places, false).some((glob) => fits(glob, form))),
  );
}

/** Returns whether a rule may be about a path. Letters of either case count, and so does the folder of a `folder/**`. */
export function touchesPath({ patterns }: Rule, target: Glob, places: Places): boolean {
  const literal = literalOf(target);
  const [text, found] = literal === undefined ? [undefined, folded(target)] : [foldText(literal), []];
  return patterns.some((pattern) =>
    absoluteGlobs(pattern, places, true).some((glob) => (text === undefined ? meets(glob, found) : fits(glob, text))),
  );
}

const cache = new WeakMap<PatternWord, Map<string, Glob[]>>();

/** Makes patterns absolute. For rules that ask or block (`wide`), a name alone is found in every folder. */
function absoluteGlobs(pattern: PatternWord, { workspace, home }: Places, wide: boolean): Glob[] {
  const key = `${wide} ${workspace} ${home}`;
  const byPlace = cache.get(pattern) ?? new Map<string, Glob[]>();
  cache.set(pattern, byPlace);
  const known = byPlace.get(key);
  if (known) return known;
  const globs = pattern.alternatives.flatMap((glob) => makeAbsolute(glob, workspace, home, wide));
  byPlace.set(key, globs);
  return globs;
}

function makeAbsolute(written: Glob, workspace: string, home: string, wide: boolean): Glob[] {
  const [first, second] = written;
  const literal = literalOf(written);
  const glob = literal === undefined ? written : globOf(literal.length > 1 ? literal.replace(/\/+$/, "") : literal);
  let found: Glob[];
  if (first === "/") found = [glob];
  else if (first === "~" && (second === "/" || second === undefined)) found = [[...globOf(home), ...glob.slice(1)]];
  else {
    const inWorkspace = [...globOf(`${workspace}/`), ...trimDot(glob)];
    const anywhere: Glob = [anyText, "/", ...trimDot(glob)];
    const isWhole = typeof first === "symbol" && first === anyText;
    const isName = !glob.includes("/") || isWhole;
    found =
      wide && isName
        ? [inWorkspace, anywhere, ...(isWhole ? [glob, ["/", ...glob]] : [])]
        : [inWorkspace, ...(isName ? [[...globOf(`${workspace}/`), anyText, "/", ...glob]] : [])];
    if (isWhole && glob.length === 1) found.push(globOf(workspace));
    // `**/x` is also `x`.
    if (isWhole && glob[1] === "/") found.push([...globOf(`${workspace}/`), ...glob.slice(2)]);
  }
  if (!wide) return found;
  return found
    .flatMap((one) => (one.at(-1) === anyText && one.at(-2) === "/" ? [one, one.slice(0, -2)] : [one]))
    .map(folded);
}

const trimDot = (glob: Glob): Glob => (glob[0] === "." && glob[1] === "/" ? glob.slice(2) : glob);

/** Paths that nothing is written to or read from. */
export const isNowhere = (file: string): boolean =>
  /^\/dev\/(null|stdout|stderr|stdin|zero|tty|full)$/.test(foldText(file));

/** Paths whose target depends on the process that opens them. */
export const isOfProcess = (file: string): boolean =>
  /^\/proc\/[^/]+\/(root|cwd|fd|task|exe|map_files)(\/|$)|^\/dev\/fd(\/|$)/.test(path.posix.normalize(file));
