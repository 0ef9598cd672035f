import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const bin = path.resolve(import.meta.dirname, "../../bin/spoor.js");
const folder = mkdtempSync(path.join(tmpdir(), "spoor-bin-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the program runs from a clone without a build", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("Usage: spoor");
});

describe("the version of Node", () => {
  test.for(["12.22.12", "18.20.8", "22.17.1"])(
    "Node %s prints which version is needed and how to get it",
    (version) => {
      expectRefusal(runAsNode(version), version);
    },
  );

  const old = realOldNode();
  test.skipIf(old === undefined)("a real old Node prints the same message", () => {
    expectRefusal(spawnSync(old?.program ?? "", [bin], { encoding: "utf8" }), old?.version ?? "");
  });

  test.for(["22.18.0", "24.0.0"])("a Node %s is new enough", (version) => {
    expect(runAsNode(version)).toMatchObject({ status: 0, stderr: "" });
  });

  function runAsNode(version: string) {
    const versions = `{ ...process.versions, node: "${version}" }`;
    const preload = write("pretend.cjs", `Object.defineProperty(process, "versions", { value: ${versions} });`);
    return spawnSync(process.execPath, ["-r", preload, bin], { encoding: "utf8" });
  }

  function expectRefusal(end: { status: number | null; stdout: string; stderr: string }, version: string) {
    expect({ status: end.status, stdout: end.stdout }).toEqual({ status: 1, stdout: "" });
    expect(end.stderr).toContain(`needs Node 22.18 or newer; this is Node ${version}.`);
    expect(end.stderr).toContain("npm start");
    expect(end.stderr).toContain("npx --package node@24");
    expect(end.stderr).not.toMatch(/^\s+at /m);
  }
});

describe("the code that is loaded", () => {
  const source = `import { where } from "@spoor/protocol";
    export const runProcess = async (): Promise<void> => console.log("spoor from src, protocol from " + where);`;
  const build = `import { where } from "@spoor/protocol";
    export const runProcess = async () => console.log("spoor from dist, protocol from " + where);`;

  test("is the source in a clone, also of our other packages", () => {
    expect(output(copyOf("clone", { "src/cli/main.ts": source }))).toBe("spoor from src, protocol from src\n");
  });

  test("is the source in a clone that was also built", () => {
    const both = copyOf("built-clone", { "src/cli/main.ts": source, "dist/bundle/main.js": build });
    expect(output(both)).toBe("spoor from src, protocol from src\n");
  });

  test("is the build in an installed package, which has no source", () => {
    expect(output(copyOf("installed", { "dist/bundle/main.js": build }))).toBe("spoor from dist, protocol from dist\n");
  });

  function output(program: string) {
    const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout;
  }

  /** Creates a package with the real program and these files, and a protocol package that prints where it was loaded from. */
  function copyOf(name: string, files: Record<string, string>): string {
    write(`${name}/protocol/src/index.ts`, `export const where: string = "src";`);
    write(`${name}/protocol/dist/index.js`, `export const where = "dist";`);
    write(
      `${name}/protocol/package.json`,
      `{ "type": "module", "exports": { ".": { "spoor-source": "./src/index.ts", "default": "./dist/index.js" } } }`,
    );
    write(`${name}/spoor/package.json`, `{ "type": "module" }`);
    for (const [file, content] of Object.entries(files)) write(`${name}/spoor/${file}`, content);
    mkdirSync(path.join(folder, name, "node_modules/@spoor"), { recursive: true });
    symlinkSync(path.join(folder, name, "protocol"), path.join(folder, name, "node_modules/@spoor/protocol"));
    const copy = path.join(folder, name, "spoor/bin/spoor.js");
    cpSync(bin, copy);
    return copy;
  }
});

test("the program ends without an error when its reader closes the pipe", async () => {
  write("endless/package.json", `{ "type": "module" }`);
  write(
    "endless/src/cli/main.ts",
    `export { runProcess } from ${JSON.stringify(path.join(import.meta.dirname, "main.ts"))};
     setInterval(() => process.stdout.write("line\\n".repeat(10_000)), 1);`,
  );
  const copy = path.join(folder, "endless/bin/spoor.js");
  cpSync(bin, copy);

  const child = spawn(process.execPath, [copy], { stdio: ["ignore", "pipe", "pipe"] });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    complaints += chunk;
  });
  child.stdout.once("data", () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect({ code, complaints }).toEqual({ code: 0, complaints: "" });
});

function write(name: string, content: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** A Node below 22.18 that happens to be on PATH outside this repository's own packages. */
function realOldNode(): { program: string; version: string } | undefined {
  for (const entry of (process.env.PATH ?? "").split(path.delimiter)) {
    const program = path.join(entry, "node");
    if (entry.includes("node_modules") || !existsSync(program)) continue;
    const version = spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim().slice(1);
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major < 22 || (major === 22 && minor < 18)) return { program, version };
  }
  return undefined;
}
