import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run } from "../../../testing/cli/run.ts";
import { launchHash } from "../../runtime/policy/mcp-server.ts";
import { approveServer } from "../../runtime/policy/mcp-trust.ts";

let root = "";
let project = "";
const spoor = (...argv: string[]) => run([...argv, "--data", path.join(root, "data")]);
const check = (...argv: string[]) => spoor("policy", "check", ...argv, "--cwd", project);
const rules = (text: string) => writeFileSync(path.join(project, ".spoor/policy.rules"), text);
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-policy-cli-")));
  project = path.join(root, "project");
  mkdirSync(path.join(project, ".spoor"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

describe("spoor policy check", () => {
  it("prints the decision, its rule and every part, and tells the decision by its exit code", async () => {
    const { code, stdout } = await check(
      "npm test && rm -rf /x",
      "--rule",
      "allow shell npm test",
      "--rule",
      "block shell rm **",
    );
    expect(code).toBe(11);
    expect(stdout).toBe(
      "block: A rule of the task blocks this: block shell rm **\nrule: line 2 of the task's rules: block shell rm **\nparts:\n" +
        "  allow  npm test\n         A rule of the task allows this: allow shell npm test\n" +
        "  block  rm -rf /x\n         A rule of the task blocks this: block shell rm **\n",
    );
    expect((await check("npm test")).code).toBe(10);
    expect((await check("npm test", "--yolo")).code).toBe(0);
  });

  it("prints JSON", async () => {
    const { stdout } = await check("--host", "localhost", "--json", "--rule", "block host 127.0.0.1");
    expect(JSON.parse(stdout)).toMatchObject({
      decision: "block",
      policy_id: "task:1",
      parts: [{ text: "localhost" }],
      problems: [],
    });
  });

  it("names a rewritten model", async () => {
    const { stdout } = await check("--model", "gpt-5", "--rule", "rewrite model gpt-5 to=gpt-5-mini");
    expect(stdout).toContain("model: gpt-5-mini (rewrite rule: rewrite model gpt-5 to=gpt-5-mini)\n");
  });

  it("reports a damaged file with its line, and allows nothing", async () => {
    rules("allow shell ls\nalow shell ls");
    const { code, stdout, stderr } = await check("--read", "a");
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: expect.stringContaining('policy.rules:2: "alow" is not an action'),
    });
    expect(stdout).toMatch(/^ask: Nothing is allowed until/);
  });

  it("wants exactly one action", async () => {
    for (const argv of [[], ["ls", "--read", "a"], ["--mcp", "x"]]) expect((await check(...argv)).code).toBe(2);
  });

  it("shows control characters of a command instead of printing them", async () => {
    const { stdout } = await check("ls \u001b[2J");
    expect(stdout).not.toContain("\u001b");
  });
});

describe("spoor trust", () => {
  it("lets a project allow things until its file changes, lists it and revokes it", async () => {
    rules("allow shell npm test");
    expect((await check("npm test")).code).toBe(10);
    expect((await spoor("trust", project)).stdout).toBe(
      `  allow shell npm test\nThese rules of ${project}/.spoor/policy.rules count from now on, until the file changes.\n`,
    );
    expect((await check("npm test")).code).toBe(0);
    expect((await spoor("trust", "--list")).stdout).toContain("policy.rules  trusted\n");
    rules("allow shell **");
    expect([(await check("npm test")).code, (await spoor("trust", "--list")).stdout]).toEqual([
      10,
      expect.stringContaining("changed"),
    ]);
    expect((await spoor("trust", project, "--revoke")).code).toBe(0);
    expect((await spoor("trust", project, "--revoke")).code).toBe(1);
    expect((await spoor("trust", "--list")).stdout).toBe("No project's rules are trusted.\n");
  });

  it("refuses a file with mistakes, and a folder without rules", async () => {
    rules("nonsense");
    expect(await spoor("trust", project)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining("policy.rules:1:"),
    });
    expect(await spoor("trust", root)).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing to trust") });
  });

  it("lists the MCP servers that were approved, and forgets them", async () => {
    const launch = { command: ["docs-server", "a\u001bb"], folder: project };
    const server = { name: "docs", sha256: launchHash(launch), launch, approved_at: "2026-01-01T00:00:00Z" };
    approveServer(path.join(root, "data"), {
      ...server,
      tools: { search: { sha256: "", description: "", schema: {} } },
    });
    const { stdout } = await spoor("trust", "--list");
    expect(stdout).toContain(
      `MCP server docs, approved 2026-01-01T00:00:00Z, 1 tool\n  command: docs-server "a\\u001bb"\n  folder: ${project}\n`,
    );
    expect(JSON.parse((await spoor("trust", "--list", "--json")).stdout)).toMatchObject({ server: "docs", launch });
    expect((await spoor("trust", "--forget", "docs")).stdout).toBe(
      "The next run with the MCP server docs asks about it again.\n",
    );
    expect(await spoor("trust", "--forget", "docs")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No MCP server named docs is approved."),
    });
    expect((await spoor("trust", project, "--forget", "docs")).code).toBe(2);
  });
});
