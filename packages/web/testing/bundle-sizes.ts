import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";

const folder = fileURLToPath(new URL("..", import.meta.url));

/** What a browser loads for one screen, in bytes after gzip. */
export interface ScreenSize {
  /** The screen, by the name of its chunk; `first` is what every screen needs. */
  screen: string;
  /** The scripts of the screen: for others than `first`, what they load beyond it. */
  script: number;
  /** All style sheets of the screen. */
  style: number;
  /** The modules of the scripts. */
  modules: string[];
}

/** Builds the page in memory and measures each screen. */
export async function bundleSizes(): Promise<ScreenSize[]> {
  const results = await buildForUsers();
  // There is one format and no watching, so there is one result, although the type allows more.
  const [result] = [results].flat() as Rolldown.RolldownOutput[];
  const files = new Map(result?.output.map((file) => [file.fileName, file]));
  const chunks = [...files.values()].filter((file) => file.type === "chunk");
  const gzip = (name: string): number => {
    const file = files.get(name);
    const content = file?.type === "chunk" ? file.code : (file?.source ?? "");
    return gzipSync(content, { level: 9 }).length;
  };
  const sum = (names: Iterable<string>): number => [...names].reduce((bytes, name) => bytes + gzip(name), 0);
  const closure = (name: string, found = new Set<string>()): Set<string> => {
    const chunk = files.get(name);
    if (found.has(name) || chunk?.type !== "chunk") return found;
    found.add(name);
    for (const other of chunk.imports) closure(other, found);
    return found;
  };
  const stylesOf = (names: Iterable<string>): Set<string> =>
    new Set(
      [...names].flatMap((name) => [
        ...(chunks.find(({ fileName }) => fileName === name)?.viteMetadata?.importedCss ?? []),
      ]),
    );
  const modulesOf = (names: Iterable<string>): string[] =>
    chunks
      .filter(({ fileName }) => new Set(names).has(fileName))
      .flatMap(({ modules }) =>
        Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])),
      );

  const entry = chunks.find(({ isEntry }) => isEntry);
  if (!entry) throw new Error("The page has no entry.");
  const first = closure(entry.fileName);
  const size = (screen: string, names: Set<string>): ScreenSize => {
    const more = screen === "first" ? names : new Set([...names].filter((name) => !first.has(name)));
    return { screen, script: sum(more), style: sum(stylesOf([...names, ...first])), modules: modulesOf(more) };
  };
  return [
    size("first", first),
    ...chunks.filter(({ isDynamicEntry }) => isDynamicEntry).map(({ name, fileName }) => size(name, closure(fileName))),
  ];
}

/** Tests run with another `NODE_ENV`, for which React is much larger. */
async function buildForUsers() {
  const { NODE_ENV = "" } = process.env;
  process.env.NODE_ENV = "production";
  try {
    return await build({ root: folder, mode: "production", logLevel: "silent", build: { write: false } });
  } finally {
    process.env.NODE_ENV = NODE_ENV;
  }
}
