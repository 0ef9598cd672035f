import { globSync, readFileSync } from "node:fs";
import path from "node:path";

/** Files and folders of one folder that import each other in a circle. */
interface ImportCycle {
  /** The folder that contains the members, relative to the root; `.` for the root itself. */
  folder: string;
  /** Names of files and folders in it. A folder counts as one member. */
  members: string[];
  /** The imports that make the cycle, as `from.ts imports to.ts`. */
  imports: string[];
}

/**
 * Finds import cycles at every level below a folder. At each level a folder counts as one node: two folders that import
 * from each other are a cycle even when no two of their files are.
 */
export function findImportCycles(root: string): ImportCycle[] {
  return [...importsByFolder(root)].flatMap(([folder, imports]) =>
    findCircles(imports).map((members) => ({
      folder,
      members: members.sort(),
      imports: imports.filter(({ from, to }) => members.includes(from) && members.includes(to)).map(describe),
    })),
  );
}

/** Lists the source files below a folder, without tests, test helpers, generated files and installed packages. */
export const sourceFiles = (root: string): string[] =>
  globSync("**/*.{ts,tsx}", { cwd: root, exclude: ["**/node_modules"] })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => !/\.(test|gen)\.tsx?$|(^|\/)testing\//.test(file))
    .sort();

/** Counts the lines of a file. */
export const countLines = (file: string): number => readFileSync(file, "utf8").trimEnd().split("\n").length;

/** One import, seen from the folder that contains both sides. */
interface Import {
  /** The member of the folder that contains the importing file. */
  from: string;
  /** The member that contains the imported file. */
  to: string;
  files: [importing: string, imported: string];
}

const describe = ({ files: [importing, imported] }: Import): string => `${importing} imports ${imported}`;

function importsByFolder(root: string): Map<string, Import[]> {
  const all = sourceFiles(root).flatMap((file) => importsOf(root, file).map((target) => sharedFolder(file, target)));
  return new Map(
    [...Map.groupBy(all, ({ folder }) => folder)].map(([folder, found]) => [folder, found.map(({ of }) => of)]),
  );
}

function importsOf(root: string, file: string): string[] {
  const text = readFileSync(path.join(root, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)]
    .map(([, target = ""]) => path.posix.join(path.posix.dirname(file), target))
    .filter((target) => !target.startsWith("../"));
}

function sharedFolder(importing: string, imported: string): { folder: string; of: Import } {
  const [from, to] = [importing.split("/"), imported.split("/")];
  const depth = from.findIndex((part, index) => part !== to[index]);
  return {
    folder: from.slice(0, depth).join("/") || ".",
    of: { from: from[depth] ?? "", to: to[depth] ?? "", files: [importing, imported] },
  };
}

/** Groups of nodes that reach each other. Two nodes that reach each other belong to the same group. */
function findCircles(imports: readonly Import[]): string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const reachable = (start: string): Set<string> => {
    const seen = new Set<string>();
    for (const queue = [start]; queue.length > 0; ) {
      for (const { to } of targets.get(queue.pop() ?? "") ?? []) {
        if (seen.has(to)) continue;
        seen.add(to);
        queue.push(to);
      }
    }
    return seen;
  };
  const reach = new Map([...targets.keys()].map((node) => [node, reachable(node)]));
  const inCycle = [...reach.keys()].filter((node) => reach.get(node)?.has(node));
  const groups = Map.groupBy(inCycle, (node) =>
    inCycle
      .filter((other) => reach.get(node)?.has(other) && reach.get(other)?.has(node))
      .sort()
      .join(),
  );
  return [...groups.values()];
}
