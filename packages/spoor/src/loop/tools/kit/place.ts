import path from "node:path";
import { refusalOfPath } from "../../../runtime/artifacts/patch-path.ts";
import type { PolicyAction } from "../../../runtime/policy/index.ts";
import type { ToolPlace } from "../tool.ts";
import { ToolProblem } from "./define-tool.ts";

/**
 * Turns a path as a model writes it into one relative to the workspace, with `/` between its parts; `.` is the workspace
 * itself. An absolute path is taken if it names something inside the workspace. Throws if it leads out of it.
 */
export function pathInside({ root }: Pick<ToolPlace, "root">, typed: string): string {
  const name = lexicalPath(root, typed);
  if (name === ".." || name.startsWith("../") || path.posix.isAbsolute(name)) {
    throw new ToolProblem(
      `${JSON.stringify(typed)} is outside the workspace. Use a path relative to the workspace, such as "src/main.ts".`,
    );
  }
  const refusal = name === "." ? undefined : refusalOfPath(name);
  if (refusal !== undefined) throw new ToolProblem(`${JSON.stringify(typed)} is refused: ${refusal}.`);
  return name;
}

/** A path of a file, which cannot be the workspace itself. */
export function fileInside(place: Pick<ToolPlace, "root">, typed: string): string {
  const name = pathInside(place, typed);
  if (name === ".") throw new ToolProblem(`${JSON.stringify(typed)} is the workspace, not a file.`);
  return name;
}

/** What rules judge about changes of files that also tell what is in them. */
export const editActions = (place: Pick<ToolPlace, "root">, tool: string, typed: readonly string[]): PolicyAction[] => [
  ...fileActions(place, "read", tool, typed),
  ...fileActions(place, "write", tool, typed),
];

/** What rules judge for files. A path that leads out of the workspace is judged as it is. */
export function fileActions(
  { root }: Pick<ToolPlace, "root">,
  subject: "read" | "write",
  tool: string,
  typed: readonly string[],
): PolicyAction[] {
  const paths = [...new Set(typed.map((each) => absolutePath(root, each)))];
  return [{ subject, cwd: root, tool, paths }];
}

/** Resolves `.` and `..` by their text alone: no link is ever followed, so that is what they mean. */
function lexicalPath(root: string, typed: string): string {
  const written = typed.replaceAll("\\", "/");
  if (!path.posix.isAbsolute(written)) return path.posix.normalize(written).replace(/(?<=.)\/+$/, "");
  const found = path.posix.relative(root, path.posix.normalize(written));
  return found === "" ? "." : found;
}

/** The path that rules judge is the one that `pathInside` takes. */
const absolutePath = (root: string, typed: string): string => {
  const name = lexicalPath(root, typed);
  return path.posix.isAbsolute(name) ? name : path.posix.join(root, name);
};
