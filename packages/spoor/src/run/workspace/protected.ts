import { execFile } from "node:child_process";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";

/**
 * Names of files and folders, at any depth of the workspace, whose content other programs execute or take settings from.
 * A write there takes effect later, in another program and without a question, so we do not write there without asking.
 */
const places: readonly { because: string; names: readonly string[] }[] = [
  { because: "Git runs commands that are configured there", names: [".git", ".gitconfig", ".gitmodules", ".husky"] },
  {
    because: "coding agents take settings and permissions from there",
    names: [
      ...[".agents", ".aider.conf.yml", ".amazonq", ".amp", ".augment", ".claude", ".claude.json", ".cline"],
      ...[".clinerules", ".codex", ".continue", ".copilot", ".cursor", ".cursorrules", ".factory", ".gemini"],
      ...[".goose", ".goosehints", ".grok", ".hermes", ".junie", ".kilo", ".kilo.json", ".kilocode", ".kilocodemodes"],
      ...[".kimi", ".kimi-code", ".mcp.json", ".omp", ".openclaw", ".opencode", ".pi", ".qoder", ".qwen", ".roo"],
      ...[".roomodes", ".spoor", ".vibe", ".windsurf", ".zot", "kilo.json", "kilo.jsonc", "opencode.json"],
      ...["opencode.jsonc", ".github/copilot"],
    ],
  },
  {
    because: "editors run tasks and take settings from there",
    names: [".devcontainer", ".fleet", ".idea", ".vscode", ".zed"],
  },
  {
    because: "shells run it when they start",
    names: [
      ...[".bash_login", ".bash_profile", ".bashrc", ".envrc", ".profile", ".zlogin", ".zprofile", ".zshenv", ".zshrc"],
    ],
  },
  { because: "it decides who may log in where", names: [".netrc", ".ssh"] },
];

/**
 * Says why an agent may not write to a file, given by its real path inside `root`; `undefined` if it may. Git's own folders
 * are protected wherever they are, and so are the hooks that its configuration names.
 */
export async function protectionOf(root: string, file: string): Promise<string | undefined> {
  const words = path
    .relative(await realpath(root), file)
    .split(path.sep)
    .map(plain);
  const named = places.find(({ names }) => names.some((name) => contains(words, name.split("/"))));
  if (named) return named.because;
  const folders = await gitFolders(file);
  return folders.some((folder) => folder === file || file.startsWith(folder + path.sep))
    ? places[0]?.because
    : undefined;
}

/** File systems may ignore case, trailing dots and spaces, invisible characters, and everything after a colon. */
function plain(name: string): string {
  const visible = name.normalize("NFKC").replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
  const lower = visible
    .toLowerCase()
    .replace(/:.*$/, "")
    .replace(/[. ]+$/, "");
  return /^git~\d+$/.test(lower) ? ".git" : lower;
}

const contains = (words: readonly string[], wanted: readonly string[]): boolean =>
  words.some((_, at) => wanted.every((word, offset) => words[at + offset] === word));

/** Returns the Git folders of a file's repository: its own, the one that its worktrees share, and its hooks. */
async function gitFolders(file: string): Promise<string[]> {
  const folder = await nearestFolder(path.dirname(file));
  const printed = await new Promise<string>((resolve) => {
    const questions = ["--absolute-git-dir", "--git-common-dir", "--git-path", "hooks"];
    // Without Git or without a repository, nothing needs protection.
    const options = { env: withoutGit(), timeout: 10_000 };
    execFile("git", ["-C", folder, "rev-parse", ...questions], options, (_, stdout) => resolve(stdout));
  });
  const named = printed.split("\n").filter((line) => line !== "");
  return Promise.all(named.map((one) => realOf(path.resolve(folder, one))));
}

async function nearestFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() || path.dirname(folder) === folder ? folder : nearestFolder(path.dirname(folder));
}

/** Resolves the part of a path that exists. */
async function realOf(file: string): Promise<string> {
  const real = await realpath(file).catch(() => undefined);
  if (real !== undefined || path.dirname(file) === file) return real ?? file;
  return path.join(await realOf(path.dirname(file)), path.basename(file));
}

/** Variables such as `GIT_DIR` may name another repository. */
const withoutGit = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
