import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** A declaration by its file and name. */
type Place = string;
interface Target {
  file: string;
  name: string;
  /** Exported as a type: a class cannot be constructed. */
  isTypeOnly?: boolean;
}
interface Module {
  /** Local names that are imported, with where they are declared; undefined for other packages. */
  imports: Map<string, Target | undefined>;
  exports: Map<string, Target>;
  /** Files whose exports are all exported again. */
  stars: string[];
  declarations: Map<string, string>;
}

/**
 * Finds types that appear in a public declaration but cannot be imported from any of the entry points. It reads the
 * declaration files that tsc wrote: every top-level statement begins in the first column, and members are indented.
 */
export function unexportedTypes(entries: readonly string[]): string[] {
  const reader = createReader();
  const found = entries.flatMap((entry) => reader.exportsOf(entry));
  const exported = new Set(found.map(({ place }) => place));
  const constructible = new Set(found.filter(({ isTypeOnly }) => !isTypeOnly).map(({ place }) => place));
  const missing = new Map<Place, string>();
  for (const place of exported) {
    const [file = "", name = ""] = place.split("#");
    const declaration = reader.load(file).declarations.get(name) ?? "";
    const visible = constructible.has(place) ? declaration : declaration.replace(/^ +constructor\(.*$/m, "");
    for (const word of referencesIn(visible)) {
      const used = reader.resolve(file, word);
      if (used !== undefined && !exported.has(used) && !missing.has(used)) missing.set(used, name);
    }
  }
  return [...missing].map(([place, user]) => `${place.split("#")[1]} (used by ${user})`).sort();
}

/** Finds names that two entry points export with different meanings. */
export function ambiguousNames(entries: readonly string[]): string[] {
  const { exportsOf } = createReader();
  const meanings = new Map<string, Set<Place>>();
  for (const { name, place } of entries.flatMap(exportsOf)) {
    meanings.set(name, (meanings.get(name) ?? new Set()).add(place));
  }
  return [...meanings]
    .filter(([, places]) => places.size > 1)
    .map(([name]) => name)
    .sort();
}

function createReader() {
  const modules = new Map<string, Module>();
  const load = (file: string): Module => {
    const known = modules.get(file) ?? readModule(file);
    modules.set(file, known);
    return known;
  };
  const origin = (file: string, name: string): Place => {
    const { imports, exports } = load(file);
    const target = imports.get(name) ?? exports.get(name);
    if (!target || (target.file === file && target.name === name)) return `${file}#${name}`;
    return origin(target.file, target.name);
  };
  const exportsOf = (file: string): { name: string; place: Place; isTypeOnly: boolean }[] => {
    const { exports, stars } = load(file);
    const own = [...exports].map(([name, { isTypeOnly = false }]) => ({ name, place: origin(file, name), isTypeOnly }));
    return [...own, ...stars.flatMap(exportsOf)];
  };
  /** Where a word of a declaration is declared; undefined for names of other packages. */
  const resolve = (file: string, word: string): Place | undefined => {
    const { imports, declarations } = load(file);
    const imported = imports.get(word);
    if (imported) return origin(imported.file, imported.name);
    return declarations.has(word) ? `${file}#${word}` : undefined;
  };
  return { load, exportsOf, resolve };
}

/** Words of a declaration that may name a type, without comments, texts, and members that a program cannot reach. */
function referencesIn(declaration: string): string[] {
  const code = declaration
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, "")
    .replaceAll(/^\s+(?:private|protected) .*$/gm, "")
    .replaceAll(/typeof \w+/g, "");
  return code.match(/(?<![.\w#])[A-Za-z_]\w*(?!\w|\??:)/g) ?? [];
}

function readModule(file: string): Module {
  const module: Module = { imports: new Map(), exports: new Map(), stars: [], declarations: new Map() };
  const statements = readFileSync(file, "utf8").split(/^(?=(?:export|import|declare|interface|type)\b)/m);
  for (const statement of statements) {
    const [, keyword, type, list, from] =
      /^(import|export)( type)? \{([^}]*)\}(?: from "([^"]+)")?/.exec(statement) ?? [];
    const [, star] = /^export (?:type )?\* from "([^"]+)"/.exec(statement) ?? [];
    const [, isExported, name] =
      /^(export )?(?:declare )?(?:abstract )?(?:class|function|const|interface|type|enum) (\w+)/.exec(statement) ?? [];
    if (star !== undefined) module.stars.push(...(fileOf(file, star) ?? []));
    else if (list !== undefined) {
      for (const item of list.split(",").filter((text) => text.trim() !== "")) {
        const [original = "", local = original] = item
          .trim()
          .replace(/^type /, "")
          .split(" as ");
        const [source] = from === undefined ? [file] : (fileOf(file, from) ?? []);
        const isTypeOnly = type !== undefined || item.trim().startsWith("type ");
        const target = source === undefined ? undefined : { file: source, name: original, isTypeOnly };
        if (keyword === "import") module.imports.set(local, target);
        else if (target) module.exports.set(local, target);
      }
    } else if (name !== undefined) {
      module.declarations.set(name, (module.declarations.get(name) ?? "") + statement);
      if (isExported) module.exports.set(name, { file, name });
    }
  }
  return module;
}

/** The declaration file that a relative path means; undefined for another package. */
function fileOf(importer: string, specifier: string): [string] | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const file = path.join(path.dirname(importer), specifier.replace(/\.[tj]s$/, ".d.ts"));
  return existsSync(file) ? [file] : undefined;
}
