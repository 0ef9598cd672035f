import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installCommand } from "./bundle.ts";

const folder = mkdtempSync(path.join(tmpdir(), "spoor-bundle-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let bin: string;
beforeAll(async () => {
  bin = await installCommand(path.join(folder, "spoor"));
});

const spoor = (...args: string[]): string =>
  execFileSync(process.execPath, [bin, ...args], {
    encoding: "utf8",
    env: { ...process.env, SPOOR_HOME: path.join(folder, "home") },
    input: "",
  });
const linesOf = (text: string): string[] => text.trimEnd().split("\n");

describe("the command as it is published", () => {
  it("runs an agent, records it and reads the run back from its own folder alone", () => {
    const program = path.join(import.meta.dirname, "../bench/fake-claude.mjs");
    const printed = linesOf(
      spoor("run", "claude", "hello", "--json", "--command", `"${process.execPath}" "${program}" 0.1 0`),
    );
    expect(JSON.parse(printed.at(-1) ?? "")).toMatchObject({ type: "run.finished" });
    const [run] = linesOf(spoor("ls", "--json")).map((line) => JSON.parse(line));
    expect(run).toMatchObject({ agent: "claude", status: "completed" });
    expect(spoor("verify", run.run_id)).toContain("all as they were written");
    expect(printed.length).toBeGreaterThan(200);
    expect(linesOf(spoor("events", "--run", run.run_id, "--json"))).toEqual(printed);
  });

  it("judges shell commands with the parser in its own folder", () => {
    expect(spoor("policy", "check", "git status && ls", "--rule", "allow shell {git,ls} **")).toMatch(/^allow: /);
  });

  it("knows its version, its schemas and every agent", () => {
    const { version } = JSON.parse(readFileSync(path.join(folder, "spoor/package.json"), "utf8"));
    expect(spoor("--version")).toBe(`${version}\n`);
    expect(JSON.parse(spoor("schema", "text_delta"))).toMatchObject({ properties: { type: { const: "text_delta" } } });
    expect(JSON.parse(spoor("agents", "--json")).length).toBeGreaterThan(25);
  });

  it("converts pages and searches files in a thread from its own folder alone", async () => {
    const thread = path.join(folder, "spoor/dist/bundle/tool-thread.js");
    const messageOf = async (workerData: object): Promise<unknown> => {
      const worker = new Worker(thread, { workerData });
      const [message] = await once(worker, "message");
      await worker.terminate();
      return message;
    };
    expect(await messageOf({ kind: "markdown", html: "<h1>Hello</h1>", url: "http://a.test/" })).toBe("# Hello");
    const limits = { entries: 1_000, depth: 9, fileBytes: 1, linesOfFile: 1, lineLength: 1, matches: 9 };
    const search = { kind: "search", root: path.join(folder, "spoor"), start: "bin", names: "*.js", limits };
    expect(await messageOf(search)).toEqual({ type: "names", paths: ["bin/spoor.js"] });
  });

  it("carries the licences of the bundled packages", () => {
    const licences = readFileSync(path.join(folder, "spoor/dist/bundle/licenses.md"), "utf8");
    for (const name of ["commander", "diff", "ws"]) expect(licences).toContain(name);
  });
});
