import { readFileSync } from "node:fs";
import path from "node:path";
import { type IndexSummary, readIndex } from "./git-index.ts";
import { readSettings, type UserRepository } from "./user-repository.ts";

/** What a shadow can take over from the user's repository. */
export interface Seed {
  /** The user's index, if its stat data can be trusted: then unchanged files need not be read. */
  index?: string;
  /** The user's object folder. */
  alternate?: string;
  /** Patterns of ignored files in the user's own settings. */
  ignored: string;
  settings?: ReadonlyMap<string, string>;
  gitlinks: readonly string[];
}

/**
 * Looks what can be taken over. The index is used only if it is plain: no hidden changes, not split or sparse, and nothing
 * converts files between the working tree and the index, because then the index does not describe the files' bytes.
 */
export async function findSeed(
  program: string,
  repository: UserRepository,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Seed> {
  const settings = await readSettings(program, repository, environment);
  if (!settings) return { ignored: "", gitlinks: [] };
  const index = path.join(repository.gitDir, "index");
  const summary = summaryOf(index);
  const isKnownFormat = [...settings].every(([key, value]) => isKnownExtension(key, value));
  const objects = path.join(repository.commonDir, "objects");
  // A path like this needs quotes in `alternates`, so it is not used.
  const canShare = isKnownFormat && !/["\n#\\]/.test(objects);
  const converts =
    !["", "false", undefined].includes(settings.get("core.autocrlf")) ||
    attributeFiles(repository, settings, summary, environment).some(convertsFiles);
  const isPlain = summary?.isPlain === true && settings.get("core.sparsecheckout") !== "true" && !converts;
  return {
    ...(isPlain && canShare && { index }),
    ...(canShare && { alternate: objects }),
    ignored: ignoredBy(repository, settings, environment),
    settings,
    gitlinks: summary?.gitlinks ?? [],
  };
}

function summaryOf(index: string): IndexSummary | undefined {
  const bytes = read(index);
  return bytes && readIndex(bytes);
}

/** Settings in `extensions` change how a repository is stored. */
function isKnownExtension(key: string, value: string): boolean {
  if (!key.startsWith("extensions.")) return true;
  return (
    ["extensions.worktreeconfig", "extensions.noop", "extensions.refstorage"].includes(key) ||
    (key === "extensions.objectformat" && value === "sha1")
  );
}

function attributeFiles(
  { commonDir, root }: UserRepository,
  settings: ReadonlyMap<string, string>,
  summary: IndexSummary | undefined,
  environment: NodeJS.ProcessEnv,
): string[] {
  const own = settings.get("core.attributesfile") ?? configFile("attributes", environment);
  return [
    "/etc/gitattributes",
    ...(own === undefined ? [] : [expand(own, environment)]),
    path.join(commonDir, "info", "attributes"),
    path.join(root, ".gitattributes"),
    ...(summary?.attributes ?? []).map((name) => path.join(root, Buffer.from(name, "latin1").toString("utf8"))),
  ];
}

/** Whether an attributes file names a conversion. May say yes too often, never too rarely. */
function convertsFiles(file: string): boolean {
  const text = read(file)?.toString("utf8") ?? "";
  return text.split("\n").some((line) => {
    const [pattern = "", ...attributes] = line.trim().split(/\s+/);
    if (pattern === "" || pattern.startsWith("#")) return false;
    return (
      attributes.some((attribute) => /^(text|eol|crlf|filter|ident|working-tree-encoding)(=|$)/.test(attribute)) ||
      pattern.startsWith("[attr]")
    );
  });
}

function ignoredBy(
  { commonDir }: UserRepository,
  settings: ReadonlyMap<string, string>,
  environment: NodeJS.ProcessEnv,
): string {
  const own = settings.get("core.excludesfile") ?? configFile("ignore", environment);
  const files = [...(own === undefined ? [] : [expand(own, environment)]), path.join(commonDir, "info", "exclude")];
  return files.map((file) => read(file)?.toString("utf8") ?? "").join("\n");
}

function configFile(name: string, { HOME, XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string | undefined {
  const folder = XDG_CONFIG_HOME || (HOME === undefined ? undefined : path.join(HOME, ".config"));
  return folder === undefined ? undefined : path.join(folder, "git", name);
}

const expand = (file: string, { HOME }: NodeJS.ProcessEnv): string =>
  file.startsWith("~/") && HOME !== undefined ? path.join(HOME, file.slice(2)) : file;

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
