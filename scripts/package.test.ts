import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstLine } from "../packages/spoor/testing/process/first-line.ts";
import { ambiguousNames, unexportedTypes } from "./public-types.ts";

const root = path.dirname(import.meta.dirname);
const folder = mkdtempSync(path.join(tmpdir(), "spoor-package-"));
const modules = path.join(folder, "node_modules");
const packages = ["protocol", "spoor"] as const;
const files: Record<string, string[]> = {};
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Packs both packages as `npm publish` does and installs them without downloading anything.
beforeAll(() => {
  run("npm", ["run", "build"], root);
  mkdirSync(path.join(modules, "@spoor"), { recursive: true });
  mkdirSync(path.join(modules, "@types"));
  for (const name of packages) {
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
    const [packed] = JSON.parse(run("npm", args, path.join(root, "packages", name)));
    files[name] = packed.files.map((file: { path: string }) => file.path);
    const place = path.join(modules, name === "protocol" ? "@spoor/protocol" : name);
    mkdirSync(place);
    run("tar", ["-xzf", path.join(folder, packed.filename), "-C", place, "--strip-components=1"], folder);
  }
  for (const name of new Set(packages.flatMap((name) => Object.keys(manifest(name).dependencies)))) {
    if (name.startsWith("@spoor/")) continue;
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(root, "node_modules", name), path.join(modules, name));
  }
}, 240_000);

describe.each(packages)("the tarball of %s", (name) => {
  it("carries a README, the licence, the repository and keywords", () => {
    expect(files[name]).toEqual(expect.arrayContaining(["README.md", "LICENSE", "package.json"]));
    expect(manifest(name).repository.directory).toBe(`packages/${name}`);
    expect(manifest(name).keywords.length).toBeGreaterThan(5);
  });

  it("carries no source, test, map or record of our own", () => {
    const needless = /\.test\.|\.map$|(^|\/)(src|testing|recordings)\/|released|tombstones|tsconfig/;
    expect(files[name]?.filter((file) => needless.test(file))).toEqual([]);
  });
});

/** The declaration files of everything that can be imported. */
const declarations = (): string[] =>
  packages.flatMap((name) => {
    const place = path.join(modules, name === "protocol" ? "@spoor/protocol" : name);
    return Object.values(manifest(name).exports).flatMap((entry) =>
      typeof entry === "string" ? [] : path.join(place, entry.types),
    );
  });

it("every type that appears in a public signature can be imported", () => {
  const ofSpoor = declarations().filter((file) => !file.includes("@spoor"));
  expect(ofSpoor).toHaveLength(5);
  expect(unexportedTypes(ofSpoor)).toEqual([]);
});

it("no two exports of the packages have the same name and different meanings", () => {
  expect(ambiguousNames(declarations())).toEqual([]);
});

it("a project that installs the packages and names no types of its own compiles against them", () => {
  const program = `
    import { type Client, createClient, followEnvelopes, type Log, openLog, type RunHandle } from "spoor";
    import { type Adapter, createJsonMachine } from "spoor/adapter";
    import { createFeeds, type Feeds } from "spoor/log";
    import { exportBundle, Recorder, renormalize } from "spoor/runtime";
    import { type Serving, serve } from "spoor/server";
    import { createSpoorClient } from "@spoor/protocol/client";
    export const handle: RunHandle = createClient().run({ agent: "claude", prompt: "hello" });
    export const client = createSpoorClient({ url: "http://127.0.0.1:1", token: "t" });
    export async function all(adapter: Adapter): Promise<[Client, Feeds, Serving, Recorder]> {
      const log: Log = await openLog({ directory: "runs" });
      for await (const { type } of followEnvelopes(log, { run_id: handle.recordId })) console.log(type);
      await exportBundle(log, handle.recordId, "run.spoor.gz");
      await renormalize(log, handle.recordId);
      createJsonMachine({ frame: () => [], exit: () => [] });
      return [createClient({ record: log, adapters: [adapter] }), createFeeds(log), await serve({ log }), new Recorder({ log })];
    }`;
  writeFileSync(path.join(folder, "program.ts"), program);
  writeFileSync(path.join(folder, "package.json"), '{"type":"module"}');
  const compilerOptions = { module: "nodenext", target: "es2024", strict: true, noEmit: true, types: [] };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  expect(run("tsc", ["-p", folder], folder)).toBe("");
}, 60_000);

it.each(["spoor", "spoor/adapter", "spoor/log", "spoor/runtime", "spoor/server"])("%s loads on its own", (name) => {
  const program = `import * as all from "${name}"; console.log(Object.keys(all).length > 4);`;
  expect(run(process.execPath, ["--input-type=module", "-e", program], folder)).toBe("true\n");
});

it("spoor does not load the server; installed, it records a run and serves it", () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { createClient, openLog, readEnvelopes } = await import("spoor");
    const isServer = (url) => url.includes("/spoor/dist/server/") || url.includes("node_modules/ws/");
    console.log(loaded.length > 100, loaded.filter(isServer));
    const log = await openLog({ directory: "runs" });
    const command = [process.execPath, ${JSON.stringify(path.join(root, "packages/spoor/testing/cli/programs/fake-claude.mjs"))}];
    const run = createClient({ record: log }).run({ agent: "claude", prompt: "hello", command });
    await run;
    let last;
    for await (const { type } of readEnvelopes(log, { run_id: run.recordId })) last = type;
    const { serve } = await import("spoor/server");
    const server = await serve({ directory: "runs", log, port: 0 });
    console.log(last, (await fetch(server.loginUrl, { redirect: "manual" })).status);
    await server.close();
    await log.close();`;
  expect(run(process.execPath, ["--input-type=module", "-e", program], folder)).toBe("true []\nrun.finished 303\n");
});

it("installed, it writes a run as an HTML file", () => {
  const spoor = path.join(modules, "spoor/bin/spoor.js");
  const html = run(
    process.execPath,
    [spoor, "export", "last", "--format", "html", "--out", "-", "--data", "runs"],
    folder,
  );
  expect(html).toMatch(/^<!doctype html>[\s\S]*Content-Security-Policy[\s\S]*<\/html>\n$/);
});

it("installed, it serves the page with every file that the page names, from the modules and from the command", async () => {
  const program = `
    import { serve } from "spoor/server";
    const server = await serve({ directory: "page-data", port: 0 });
    process.stdout.write(server.url + "\\n");
    process.once("SIGTERM", () => server.close());`;
  const command = [path.join(modules, "spoor/bin/spoor.js"), "serve", "--data", "page-data", "--port", "0", "--json"];
  for (const args of [["--input-type=module", "-e", program], command]) {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    const [url = ""] = /http:[^"\s]+/.exec(await firstLine(child.stdout)) ?? [];
    const shell = await (await fetch(url)).text();
    const named = [...shell.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, name]) => name ?? "");
    expect(named.some((name) => /^\/assets\/.*\.js$/.test(name))).toBe(true);
    for (const name of named) expect([name, (await fetch(url + name)).status]).toEqual([name, 200]);
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});

it("installed, it judges shell commands", () => {
  const program = `
    import { loadPolicy } from "spoor/runtime";
    const cwd = process.cwd();
    const policy = await loadPolicy({ directory: "data", cwd, task: ["block shell rm **", "allow shell **"] });
    console.log(["ls", "ls; rm x"].map((command) => policy.decide({ subject: "shell", command, cwd }).decision).join());`;
  expect(run(process.execPath, ["--input-type=module", "-e", program], folder)).toBe("allow,block\n");
});

interface Manifest {
  exports: Record<string, string | { types: string }>;
  dependencies: Record<string, string>;
  repository: { directory: string };
  keywords: string[];
}

function manifest(name: (typeof packages)[number]): Manifest {
  return JSON.parse(readFileSync(path.join(root, "packages", name, "package.json"), "utf8"));
}

function run(command: string, args: string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}\n${stderr}`);
  }
}

it("a clone that is linked as the README says gives the command in any folder", () => {
  const prefix = path.join(folder, "global");
  run("npm", ["install", "--global", "--prefix", prefix, "./packages/spoor"], root);
  expect(run(path.join(prefix, "bin/spoor"), ["--version"], tmpdir())).toMatch(/^\d+\.\d+\.\d+\n$/);
}, 60_000);
