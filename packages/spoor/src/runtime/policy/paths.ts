import { lstatSync, readlinkSync } from "node:fs";
import path from "node:path";
import { ANY, fits, folded, foldText, type Glob, globOf, literalOf, meets } from "./glob.ts";
import type { Rule } from "./rule.ts";

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
export function coversPath(rule: Rule, forms: readonly string[], places: Places): boolean {
  const globs = absoluteGlobs(rule, places, false);
  return forms.every((form) => globs.some((glob) => fits(glob, form)));
}

/** Returns whether a rule may be about a path. Letters of either case count, and so does the folder of a `folder/**`. */
export function touchesPath(rule: Rule, target: PathForm, places: Places): boolean {
  return absoluteGlobs(rule, places, true).some((glob) =>
    target.text === undefined ? meets(glob, target.glob) : fits(glob, target.text),
  );
}

/** A path to compare with rules that ask or block. */
export interface PathForm {
  /** The text, if it is known. */
  text: string | undefined;
  glob: Glob;
}

export const pathForm = (target: string | Glob): PathForm =>
  typeof target === "string" ? { text: foldText(target), glob: [] } : { text: undefined, glob: folded(target) };

/** A path as a file system may take it: some ignore dots and spaces at the end of names, and invisible characters. */
export function twinOf(file: string): string {
  const visible = file.normalize("NFKC").replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
  return visible
    .split("/")
    .map((name) => name.replace(/(?<=[^. ])[. ]+$/, "").replace(/^git~\d+$/i, ".git"))
    .join("/");
}

const cache = new WeakMap<Places, { wide: WeakMap<Rule, Glob[]>; narrow: WeakMap<Rule, Glob[]> }>();

/** Makes patterns absolute. For rules that ask or block (`wide`), a name alone is found in every folder. */
function absoluteGlobs(rule: Rule, places: Places, wide: boolean): Glob[] {
  let known = cache.get(places);
  if (known === undefined) {
    known = { wide: new WeakMap(), narrow: new WeakMap() };
    cache.set(places, known);
  }
  const list = wide ? known.wide : known.narrow;
  let globs = list.get(rule);
  if (globs === undefined) {
    globs = rule.patterns.flatMap(({ alternatives }) =>
      alternatives.flatMap((glob) => makeAbsolute(glob, places, wide)),
    );
    list.set(rule, globs);
  }
  return globs;
}

function makeAbsolute(written: Glob, { workspace, home }: Places, wide: boolean): Glob[] {
  const literal = literalOf(written);
  const glob = trimDot(
    literal === undefined ? written : globOf(literal.length > 1 ? literal.replace(/\/+$/, "") : literal),
  );
  return wide ? wideGlobs(glob, workspace, home) : narrowGlobs(glob, workspace, home);
}

function narrowGlobs(glob: Glob, workspace: string, home: string): Glob[] {
  const [first, second] = glob;
  if (first === "/") return [glob];
  if (isHome(glob)) return [[...globOf(home), ...glob.slice(1)]];
  const inside = globOf(`${workspace}/`);
  if (glob.length === 1 && first === ANY) return [[...inside, ANY], globOf(workspace)];
  // `**/x` is also `x`, and a name alone is found in every folder of the workspace.
  if (first === ANY && second === "/")
    return [
      [...inside, ...glob],
      [...inside, ...glob.slice(2)],
    ];
  return glob.includes("/")
    ? [[...inside, ...glob]]
    : [
        [...inside, ...glob],
        [...inside, ANY, "/", ...glob],
      ];
}

function wideGlobs(glob: Glob, workspace: string, home: string): Glob[] {
  const [first] = glob;
  let found: Glob = [...globOf(`${workspace}/`), ...glob];
  if (first === "/" || first === ANY) found = glob;
  else if (isHome(glob)) found = [...globOf(home), ...glob.slice(1)];
  else if (!glob.includes("/")) found = [ANY, "/", ...glob];
  // `folder/**` is also about the folder.
  const forms =
    found.at(-1) === ANY && found.at(-2) === "/" && found.length > 2 ? [found, found.slice(0, -2)] : [found];
  return forms.map(folded);
}

const isHome = ([first, second]: Glob): boolean => first === "~" && (second === "/" || second === undefined);

const trimDot = (glob: Glob): Glob => (glob[0] === "." && glob[1] === "/" ? glob.slice(2) : glob);

/** Paths that nothing is written to or read from. */
export const isNowhere = (file: string): boolean =>
  /^\/dev\/(null|stdout|stderr|stdin|zero|tty|full)$/.test(foldText(file));

/** Paths whose target depends on the process that opens them. */
export const isOfProcess = (file: string): boolean =>
  /^\/proc\/[^/]+\/(root|cwd|fd|task|exe|map_files)(\/|$)|^\/dev\/fd(\/|$)/.test(path.posix.normalize(file));
