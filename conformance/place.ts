import { access, mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { BASE, type Cli } from "./cli.ts";

/** A command that is ready to spawn, in an environment that contains nothing of the user's. */
export interface Placed {
  command: string;
  /** Come before all other arguments: the script, if the command is Node. */
  first: readonly string[];
  version: readonly string[];
  oneShot(prompt: string): string[];
  env: Record<string, string>;
  /** An empty project in the private home. */
  cwd: string;
}

interface Placing {
  url: string;
  home: string;
  port?: number;
  modules?: string;
  /** The agent is not logged in: every setting that contains the key is left out. */
  withoutKey?: boolean;
}

/** Makes `home` the home of the agent and points it at the model server at `url`. */
export async function place(
  cli: Cli,
  { url, home, port = 0, modules = pinnedModules, withoutKey = false }: Placing,
): Promise<Placed> {
  const fill = (text: string) =>
    replaceAll(text, { "{url}": url, "{home}": home, "{modules}": pinnedModules, '"{port}"': `${port}` });
  const program = programOf(cli, modules);
  const runtime = cli.runtime === undefined ? process.execPath : join(modules, cli.runtime);
  const isScript = /\.m?js$/.test(program);
  const cwd = join(home, "project");

  for (const folder of [join(home, "tmp"), cwd]) await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(cli.files ?? {})) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), fill(textOf(content, withoutKey)));
  }
  const set = Object.entries({ ...BASE, ...cli.env })
    .filter(([, value]) => !(withoutKey && value === KEY))
    .map(([name, value]) => [name, fill(value)]);
  return {
    command: isScript ? runtime : program,
    first: isScript ? [program] : [],
    version: cli.version,
    oneShot: (prompt) => (cli.oneShot ?? []).map((argument) => fill(argument).replaceAll("{prompt}", () => prompt)),
    env: { PATH: PATH.join(delimiter), ...Object.fromEntries(set) },
    cwd,
  };
}

export async function isInstalled(cli: Cli, modules = pinnedModules): Promise<boolean> {
  return access(programOf(cli, modules)).then(
    () => true,
    () => false,
  );
}

/** The placeholder for a key wherever an agent reads one. */
const KEY = "dummy-key";

function textOf(content: object | readonly string[], withoutKey: boolean): string {
  if (!Array.isArray(content)) {
    return JSON.stringify(content, (_, value) => (withoutKey && value === KEY ? undefined : value));
  }
  const lines = withoutKey ? content.filter((line) => !line.includes(KEY)) : content;
  return `${lines.join("\n")}\n`;
}

/** The folder of the pinned programs. */
const pinnedModules = join(import.meta.dirname, "node_modules");

function programOf(cli: Cli, modules: string): string {
  const platform = `${process.platform}-${process.arch}`;
  const path = replaceAll(cli.program, { "{platform}": platform, "{triple}": TRIPLES[platform] ?? platform });
  return join(modules, path);
}

function replaceAll(text: string, values: Record<string, string>): string {
  return Object.entries(values).reduce((filled, [name, value]) => filled.replaceAll(name, () => value), text);
}

/** The Node that runs this script comes first, for programs that a script agent starts. */
const PATH = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"];

const TRIPLES: Record<string, string> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};
