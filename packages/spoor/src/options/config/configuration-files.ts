import { readFileSync } from "node:fs";
import path from "node:path";
import { type Problem, SpoorError } from "../../failures/errors.ts";
import { isObject, listOf, text } from "../checks.ts";
import type { Layer } from "../merge.ts";
import { fieldOf, optionProblems } from "../validate.ts";
import type { Places } from "./places.ts";

/** The options of the user's and the project's configuration, the nearer first. No file, no options. */
export function readConfiguration(places: Places): Layer[] {
  const { trustedProjects: _, ...global } = readGlobal(places);
  if (places.project === undefined) return [global];
  return [readLayer(path.join(places.project, "config.json"), places) ?? {}, global];
}

/** A file of options. One of the project's may say what needs trust only where the project has it. */
export function readLayer(file: string, places: Places): Layer | undefined {
  const value = readObject(file);
  if (value === undefined) return undefined;
  const layer = renamed(value);
  failOn(file, optionProblems(layer, "shared"));
  if (isOfProject(file, places)) failOn(file, trustProblems(layer, places));
  return layer as Layer;
}

function readGlobal(places: Places): Layer & { trustedProjects?: string[] } {
  const file = path.join(places.global, "config.json");
  const { trustedProjects, ...value } = readObject(file) ?? {};
  const layer = renamed(value);
  failOn(file, [
    ...optionProblems(layer, "shared"),
    ...(trustedProjects === undefined ? [] : listOf(text)(trustedProjects, "trustedProjects")),
  ]);
  return { ...layer, ...(trustedProjects !== undefined && { trustedProjects: trustedProjects as string[] }) };
}

/** The names these two have in configuration files elsewhere. */
export function renamed({ defaultAgent, defaultModel, ...value }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...(defaultAgent !== undefined && { agent: defaultAgent }),
    ...(defaultModel !== undefined && { model: defaultModel }),
    ...value,
  };
}

function trustProblems(layer: Record<string, unknown>, places: Places): Problem[] {
  const folder = path.dirname(places.project ?? "");
  const needing = Object.keys(layer).filter((name) => fieldOf(name)?.trusted?.(layer[name]));
  if (needing.length === 0 || readGlobal(places).trustedProjects?.includes(folder)) return [];
  const where = path.join(places.global, "config.json");
  return needing.map((field) => ({
    field,
    message: `${field} decides what runs here, and a project may say it only if you trust it: add ${JSON.stringify(folder)} to "trustedProjects" in ${where}, or say it there.`,
  }));
}

const isOfProject = (file: string, { project }: Places): boolean =>
  project !== undefined && file.startsWith(project + path.sep);

function readObject(file: string): Record<string, unknown> | undefined {
  let written: string;
  try {
    written = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SpoorError("CONFIG_ERROR", `Cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
  try {
    const value: unknown = JSON.parse(written);
    if (isObject(value)) return value;
  } catch (error) {
    throw new SpoorError("CONFIG_ERROR", `${file} is no JSON: ${(error as Error).message}`, { cause: error });
  }
  throw new SpoorError("CONFIG_ERROR", `${file} must hold an object of options.`);
}

function failOn(file: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  throw new SpoorError("CONFIG_ERROR", problems.map(({ message }) => `${file}: ${message}`).join("\n"));
}
