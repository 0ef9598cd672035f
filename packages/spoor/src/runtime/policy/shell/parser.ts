import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Node, Parser, Tree } from "web-tree-sitter";

export type { Node };

/** Parses shell text. The tree belongs to WebAssembly memory and must be freed. */
export type ParseShell = <Result>(text: string, read: (root: Node) => Result) => Result;

let loading: Promise<ParseShell> | undefined;

/** Loads the parser once for a process. It takes some ten milliseconds, so load it only where shell text is judged. */
export function loadShellParser(): Promise<ParseShell> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ParseShell> {
  const { Language, Parser } = await import("web-tree-sitter");
  await Parser.init({ wasmBinary: readFileSync(findWasm("web-tree-sitter")) });
  const bash = await Language.load(readFileSync(findWasm("tree-sitter-bash")));
  const parser: Parser = new Parser();
  parser.setLanguage(bash);
  return (text, read) => {
    // Without a progress callback, parsing is never cut short, so there always is a tree.
    const tree = parser.parse(text) as Tree;
    try {
      return read(tree.rootNode);
    } finally {
      tree.delete();
    }
  };
}

/** A published package has the files beside its code. In a checkout they are in the packages that make them. */
function findWasm(name: string): string {
  const beside = fileURLToPath(new URL(`./${name}.wasm`, import.meta.url));
  return existsSync(beside) ? beside : createRequire(import.meta.url).resolve(`${name}/${name}.wasm`);
}
