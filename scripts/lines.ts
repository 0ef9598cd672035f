// Prints how many lines of code it takes to know each agent: npm run lines.
// A profile says how an agent differs on wires that are known; a wire is a folder, or a file, that makes a machine.
// What is known about an agent besides (about-*.ts), its own session logs (sessions.ts) and tests are not counted.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const PROFILE = 60;
const WIRE = 500;

const agents = path.join(import.meta.dirname, "../packages/spoor/src/agents");

/** What stands once in every row where a folder is a table of many agents. */
const tables: Readonly<Record<string, RegExp>> = { acp: /\blaunch: \["/g };

/** Why a promise is not kept. */
const reasons: Readonly<Record<string, string>> = {
  claude: "how its older versions word errors as if the model spoke",
  qwen: "two wires, and how it words errors as if the model spoke",
  "dialects/claude-stream-json": "three agents, of which two word errors as if the model spoke",
  "dialects/acp": "the whole protocol for all who speak it, with what the client does for them",
  "dialects/pi": "three wires of two agents, and the subagents of one",
};

interface Row {
  name: string;
  profile?: number;
  reads?: number;
  drives?: number;
}

const rows = [
  ...foldersIn(agents).flatMap(rowsOf),
  ...foldersIn(path.join(agents, "dialects")).map((name) => partOf(`dialects/${name}`, filesBelow(`dialects/${name}`))),
];

print(["", "profile", "reads", "drives", "promise"]);
for (const { name, profile, reads, drives } of rows) {
  const [lines = 0, promise] = profile === undefined ? [reads, WIRE] : [profile, PROFILE];
  const verdict = lines < promise ? "" : `  missed: ${reasons[name] ?? "nobody has said why"}`;
  print([name, profile, reads, drives, `under ${promise}`, verdict]);
}

/** An agent's profile, each wire of its own, and what these share. Whose only wire is its own shares nothing. */
function rowsOf(agent: string): Row[] {
  const files = filesBelow(agent);
  const isProfile = (file: string) => file === `${agent}/index.ts` || file === `${agent}/${agent}-profile.ts`;
  const wires = files.filter((file) => !isProfile(file) && makesMachine(file)).map(wireOf);
  if (wires.length === 0) {
    return files.some(makesMachine) ? [partOf(agent, files)] : [profileOf(agent, files)];
  }
  const inside = (wire: string) => files.filter((file) => file === `${wire}.ts` || file.startsWith(`${wire}/`));
  const rest = files.filter((file) => !isProfile(file) && !wires.flatMap(inside).includes(file));
  const profile = { name: agent, profile: sum(files.filter(isProfile)) };
  const [only] = wires;
  if (wires.length === 1 && only !== undefined) return [profile, partOf(only, [...inside(only), ...rest])];
  const shared = rest.length > 0 ? [partOf(`${agent} (shared)`, rest)] : [];
  return [profile, ...wires.map((wire) => partOf(wire, inside(wire))), ...shared];
}

/** Where there are many, what each takes of it. */
function profileOf(agent: string, files: readonly string[]): Row {
  const row = tables[agent];
  if (row === undefined) return { name: agent, profile: sum(files) };
  const count = files.flatMap((file) => read(file).match(row) ?? []).length;
  return { name: `${agent} (each of ${count})`, profile: Math.ceil(sum(files) / count) };
}

/** A folder below the agent's, or a file beside its profile. */
function wireOf(file: string): string {
  const folder = path.posix.dirname(file);
  return folder.includes("/") ? folder : file.replace(/\.ts$/, "");
}

function makesMachine(file: string): boolean {
  return read(file).includes("createMachine");
}

/** What drives is in a folder of that name, or launches. */
function partOf(name: string, files: readonly string[]): Row {
  const isDriving = (file: string) => /\/driving\/|-(?:live|driver)\.ts$/.test(file);
  return { name, reads: sum(files.filter((file) => !isDriving(file))), drives: sum(files.filter(isDriving)) };
}

function foldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.map(({ name }) => name).filter((name) => name !== "dialects" && name !== "kit");
}

/** The files that count, by path below the agents' folder. */
function filesBelow(folder: string): string[] {
  const names = readdirSync(path.join(agents, folder), { recursive: true, encoding: "utf8" });
  return names
    .map((name) => `${folder}/${name.replaceAll(path.sep, "/")}`)
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|\/about-[a-z]+\.ts$|-session-logs\.ts$/.test(file))
    .sort();
}

/** Lines that are neither blank nor comment. */
function sum(files: readonly string[]): number {
  const lines = files.flatMap((file) =>
    read(file)
      .replaceAll(/\/\*[\s\S]*?\*\//g, "")
      .split("\n"),
  );
  return lines.filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length;
}

function read(file: string): string {
  return readFileSync(path.join(agents, file), "utf8");
}

function print([name = "", ...cells]: readonly (string | number | undefined)[]): void {
  const line = [String(name).padEnd(28), ...cells.map((cell) => String(cell ?? "").padStart(11))].join("");
  console.log(line.trimEnd());
}
