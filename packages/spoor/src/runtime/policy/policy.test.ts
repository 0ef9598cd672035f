import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadPolicy, type Policy, type PolicyAction, preparePolicy } from "./index.ts";
import { addTrusted, hashOf } from "./trust.ts";

let root = "";
let workspace = "";
let directory = "";
let home = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "spoor-rules-"));
  [workspace, directory, home] = [path.join(root, "work"), path.join(root, "data"), path.join(root, "home")];
  for (const folder of [workspace, directory, home, path.join(workspace, ".spoor"), path.join(workspace, ".git/hooks")])
    mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const user = (text: string) => writeFileSync(path.join(directory, "policy.rules"), text);
const project = (text: string) => writeFileSync(path.join(workspace, ".spoor/policy.rules"), text);
const load = (options: { task?: string[]; yolo?: boolean } = {}) =>
  loadPolicy({ directory, cwd: workspace, home, ...options });
const shell = (policy: Policy, command: string, agent?: string) =>
  policy.decide({ subject: "shell", command, cwd: workspace, ...(agent && { agent }) }).decision;
const on = (policy: Policy, subject: "read" | "write", file: string, cwd = workspace) =>
  policy.decide({ subject, paths: [file], cwd });

describe("layers", () => {
  it("without rules, reading in the workspace is allowed and everything else is asked about", async () => {
    const policy = await load();
    const ask: PolicyAction[] = [
      { subject: "shell", command: "ls", cwd: workspace },
      { subject: "git", command: "status", cwd: workspace },
      { subject: "write", paths: ["a"], cwd: workspace },
      { subject: "read", paths: ["/etc/passwd"], cwd: workspace },
      { subject: "host", host: "example.com", cwd: workspace },
      { subject: "mcp", server: "docs", name: "search", cwd: workspace },
      { subject: "tool", name: "Bash", cwd: workspace },
    ];
    for (const action of ask)
      expect(policy.decide(action)).toMatchObject({ decision: "ask", policy_id: "default:ask" });
    expect(on(policy, "read", "src/a.ts").decision).toBe("allow");
    // The user asked for these by starting the run.
    expect(policy.decide({ subject: "model", model: "gpt-5", cwd: workspace }).decision).toBe("allow");
    expect(policy.decide({ subject: "task", kind: "agent", cwd: workspace }).decision).toBe("allow");
  });

  it("the task's rules come before the user's, and the user's always before both", async () => {
    user("always block shell rm **\nblock shell make **\nallow shell npm test");
    const policy = await load({ task: ["allow shell rm **", "allow shell make **", "ask shell npm test"] });
    expect(["rm x", "make x", "npm test"].map((command) => shell(policy, command))).toEqual(["block", "allow", "ask"]);
  });

  it("no rule loosens a built-in block", async () => {
    user("allow write /** ; allow read /**");
    const policy = await load({ task: ["allow write **", "allow read /**"], yolo: true });
    for (const file of [
      ".git/hooks/pre-commit",
      ".git/config",
      ".GIT/config",
      "sub/.git/hooks/x",
      ".claude/settings.json",
      ".mcp.json",
      ".spoor/policy.rules",
      path.join(directory, "token"),
      path.join(home, ".gitconfig"),
    ]) {
      expect(on(policy, "write", file), file).toMatchObject({ decision: "block", rule: { source: "builtin" } });
    }
    expect(on(policy, "read", path.join(directory, "token")).decision).toBe("block");
    expect(on(policy, "read", ".git/config").decision).toBe("allow");
  });

  it("a workspace inside the data directory can be worked in", async () => {
    const inside = path.join(directory, "worktrees/a");
    mkdirSync(inside, { recursive: true });
    const policy = await loadPolicy({ directory, cwd: inside, home, task: ["allow write **"] });
    expect(on(policy, "write", "src/a.ts", inside).decision).toBe("allow");
    expect(on(policy, "read", "../../token", inside).decision).toBe("block");
  });

  it("yolo opens no metadata service, unless a rule allows it, and lets it be talked about (E2)", async () => {
    const hosts = ["169.254.169.254", "0xa9fea9fe", "[fd00:ec2::254]:80", "100.100.100.200"];
    const [policy, opened, asking] = [
      await load({ yolo: true }),
      await load({ yolo: true, task: ["allow host **"] }),
      await load(),
    ];
    for (const host of hosts) {
      const action = { subject: "host", host, cwd: workspace } as const;
      expect([policy, opened, asking].map((each) => each.decide(action).decision)).toEqual(["block", "allow", "ask"]);
    }
    expect(shell(policy, "git commit -m 'Refuse 169.254.169.254'")).toBe("allow");
    expect(shell(policy, "curl http://localhost:3000/")).toBe("allow");
  });

  it("yolo turns ask into allow, and never a block (C2)", async () => {
    const policy = await load({ task: ["block shell rm **"], yolo: true });
    expect([shell(policy, "ls"), shell(policy, "rm x"), shell(policy, "eval x"), shell(policy, "ls\u0000")]).toEqual([
      "allow",
      "block",
      "block",
      "block",
    ]);
    expect(policy.decide({ subject: "shell", command: "ls", cwd: workspace })).toMatchObject({
      policy_id: "default:yolo",
    });
  });

  it("rules can be about one agent", async () => {
    const policy = await load({ task: ["block shell ls agent=claude", "allow shell ls agent={codex,gemini}"] });
    expect([shell(policy, "ls", "claude"), shell(policy, "ls", "codex"), shell(policy, "ls")]).toEqual([
      "block",
      "allow",
      "ask",
    ]);
  });

  it("rules about a tool block what it does, and allow what no other rule is about", async () => {
    const policy = await load({ task: ["block tool WebFetch", "allow tool Bash", "ask shell make **"] });
    const by = (tool: string, command: string) =>
      policy.decide({ subject: "shell", command, tool, cwd: workspace }).decision;
    expect([
      by("WebFetch", "ls"),
      by("Bash", "ls"),
      by("Bash", "make x"),
      by("Bash", "eval x"),
      by("Other", "ls"),
    ]).toEqual(["block", "allow", "ask", "ask", "ask"]);
  });

  it("rewrites a model by the first rule that names it", async () => {
    user("rewrite model gpt-5* to=small ; rewrite model opus to=sonnet agent=claude");
    const policy = await load();
    expect(policy.rewriteModel("gpt-5-pro")).toMatchObject({ model: "small", policy_id: "user:1" });
    expect(policy.rewriteModel("opus", "claude")?.model).toBe("sonnet");
    expect([policy.rewriteModel("opus"), policy.rewriteModel("small")]).toEqual([undefined, undefined]);
  });

  it("holds for the model of every provider if a rule names none", async () => {
    user("rewrite model gpt-5 to=gpt-5-mini ; rewrite model openai/o1 to=local/tiny ; block model gpt-4*");
    const policy = await load();
    expect(policy.rewriteModel("openai/gpt-5")?.model).toBe("openai/gpt-5-mini");
    expect(policy.rewriteModel("openai/o1")?.model).toBe("local/tiny");
    expect([policy.rewriteModel("azure/o1"), policy.rewriteModel("openai/gpt-5-mini")]).toEqual([undefined, undefined]);
    const decide = (model: string) => policy.decide({ subject: "model", model, cwd: workspace }).decision;
    expect(["openai/gpt-4o", "gpt-4o", "openai/gpt-5"].map(decide)).toEqual(["block", "block", "allow"]);
  });
});

describe("the project's file", () => {
  it("only makes the policy stricter until it is trusted, and again when it changes", async () => {
    user("allow shell make **");
    project("allow shell npm test\nask shell make **\nblock shell curl **\nrewrite model a to=b");
    const decisions = async () => {
      const policy = await load();
      return [
        ...["npm test", "make x", "curl x"].map((command) => shell(policy, command)),
        policy.rewriteModel("a")?.model,
      ];
    };
    expect(await decisions()).toEqual(["ask", "ask", "block", undefined]);
    const file = path.join(workspace, ".spoor/policy.rules");
    const bytes = Buffer.from("allow shell npm test\nask shell make **\nblock shell curl **\nrewrite model a to=b");
    addTrusted(directory, { file, sha256: hashOf(bytes), trusted_at: "" });
    expect(await decisions()).toEqual(["allow", "ask", "block", "b"]);
    project("allow shell **");
    expect(await decisions()).toEqual(["ask", "allow", "ask", undefined]);
  });

  it("of a folder above counts, too, and trust of one file is none of another (B2)", async () => {
    const inner = path.join(workspace, "packages/a");
    mkdirSync(inner, { recursive: true });
    project("block shell rm **");
    expect(shell(await loadPolicy({ directory, cwd: inner, home }), "ls; rm x")).toBe("block");
    const other = path.join(root, "other");
    mkdirSync(path.join(other, ".spoor"), { recursive: true });
    writeFileSync(path.join(other, ".spoor/policy.rules"), "allow shell npm test");
    addTrusted(directory, {
      file: path.join(workspace, ".spoor/policy.rules"),
      sha256: hashOf(Buffer.from("allow shell npm test")),
      trusted_at: "",
    });
    const policy = await loadPolicy({ directory, cwd: other, home });
    expect(policy.decide({ subject: "shell", command: "npm test", cwd: other }).decision).toBe("ask");
  });

  it("that is the user's own file is not read a second time", async () => {
    const data = path.join(workspace, ".spoor");
    project("allow shell ls");
    const policy = await loadPolicy({ directory: data, cwd: workspace, home });
    expect(policy.decide({ subject: "shell", command: "ls", cwd: workspace })).toMatchObject({
      decision: "allow",
      rule: { source: "user" },
    });
  });
});

describe("a file that cannot be used", () => {
  it.each([
    ["has a mistake", () => user("allow shell ls\nnonsense")],
    ["is a folder", () => mkdirSync(path.join(directory, "policy.rules"))],
    ["is not UTF-8", () => writeFileSync(path.join(directory, "policy.rules"), Buffer.from([0xff, 0xfe, 0x41]))],
    ["is too large", () => user(`# ${"x".repeat(1024 * 1024)}`)],
    ["of the project has a mistake", () => project("nonsense")],
  ])("because it %s lets nothing be allowed, also with yolo, and says so", async (_, make) => {
    make();
    for (const yolo of [false, true]) {
      const policy = await load({ yolo });
      expect(policy.problems).toHaveLength(1);
      const verdict = on(policy, "read", "src/a.ts");
      expect(verdict).toMatchObject({
        decision: "ask",
        policy_id: "default:damaged",
        reason: expect.stringContaining("policy.rules"),
      });
    }
  });

  it("still blocks what its other lines block", async () => {
    user("block shell rm **\nnonsense");
    expect(shell(await load(), "rm x")).toBe("block");
  });

  it.skipIf(process.getuid?.() === 0)("because it may not be read lets nothing be allowed", async () => {
    user("allow shell ls");
    chmodSync(path.join(directory, "policy.rules"), 0);
    expect((await load()).problems).toEqual([expect.stringContaining("cannot be read")]);
  });

  it("of trusted files means that none is trusted", async () => {
    project("allow shell ls");
    writeFileSync(path.join(directory, "trust.json"), "{");
    const policy = await load();
    expect([shell(policy, "ls"), policy.problems]).toEqual(["ask", [expect.stringContaining("trust.json is damaged")]]);
  });

  it("the files are read when the policy is prepared, so that an agent cannot change them before its first question", async () => {
    user("block shell rm **");
    const prepared = preparePolicy({ directory, cwd: workspace, home });
    user("allow shell rm **");
    expect(shell(await prepared(), "rm x")).toBe("block");
  });
});

describe("paths", () => {
  it("are judged after .. and links, in either case (D1)", async () => {
    symlinkSync("/etc", path.join(workspace, "out"));
    symlinkSync(".git", path.join(workspace, "g"));
    const policy = await load({ task: ["allow write **", "block read **/secret/**"] });
    expect(on(policy, "read", "out/passwd").decision).toBe("ask");
    expect(on(policy, "read", "../x").decision).toBe("ask");
    expect(on(policy, "read", `${workspace}-evil/x`).decision).toBe("ask");
    expect(on(policy, "write", "g/hooks/x").decision).toBe("block");
    expect(on(policy, "write", "out/../.git/config").decision).toBe("block");
    expect(on(policy, "write", "src/a.ts").decision).toBe("allow");
    expect(on(policy, "write", "/etc/passwd").decision).toBe("ask");
    expect(on(policy, "read", "a/SECRET/b").decision).toBe("block");
    expect(on(policy, "read", "/proc/self/root/etc/passwd").decision).not.toBe("allow");
    expect(on(policy, "read", "a\0b").decision).toBe("block");
    for (const twin of ["git~1/config", ".git./config", ".git /hooks/x", ".g\u200dit/config", ".ｇit/config"])
      expect(on(policy, "write", twin).decision, twin).toBe("block");
  });

  it("a folder outside the workspace is blocked (C3)", async () => {
    const policy = await load({ yolo: true });
    expect(policy.decide({ subject: "shell", command: "ls", cwd: root })).toMatchObject({
      decision: "block",
      policy_id: "builtin:cwd",
    });
    symlinkSync(root, path.join(workspace, "up"));
    expect(policy.decide({ subject: "shell", command: "ls", cwd: path.join(workspace, "up") }).decision).toBe("block");
  });
});

it("an opaque command is allowed by its exact text alone", async () => {
  const policy = await load({
    task: ["allow shell python3 -c 'print(1)'", "allow shell python3 **", "allow shell git push"],
  });
  expect(
    ["python3 -c 'print(1)'", "python3 -c 'print(2)'", "python3 -c 'print(1)'; eval x", "git push", "git push -f"].map(
      (command) => shell(policy, command),
    ),
  ).toEqual(["allow", "ask", "ask", "allow", "ask"]);
  const strict = await load({ task: ["block shell rm **", "allow shell python3 -c 'print(1)'"] });
  expect([shell(strict, "python3 -c 'print(1)'"), shell(strict, "python3 -c 'print(2)'")]).toEqual(["allow", "block"]);
});

it("names of MCP tools, hosts and models are matched by patterns", async () => {
  const policy = await load({
    task: [
      "allow mcp docs/*",
      "block mcp github/delete_*",
      "allow host *.example.com:443 10.0.0.0/8",
      "block host localhost",
      "block model *mini*",
    ],
  });
  const mcp = (server: string, name: string) =>
    policy.decide({ subject: "mcp", server, name, cwd: workspace }).decision;
  expect([mcp("docs", "x"), mcp("docs2", "x"), mcp("GitHub", "Delete_repo"), mcp("github", "list")]).toEqual([
    "allow",
    "ask",
    "block",
    "ask",
  ]);
  const host = (name: string) => policy.decide({ subject: "host", host: name, cwd: workspace }).decision;
  expect(
    [
      "https://a.example.com/x",
      "http://a.example.com",
      "10.1.2.3",
      "11.1.2.3",
      "[::1]:80",
      "0x7f000001",
      "example.com.evil.test",
    ].map(host),
  ).toEqual(["allow", "ask", "allow", "ask", "block", "block", "ask"]);
  expect(policy.decide({ subject: "model", model: "openai/gpt-5-MINI", cwd: workspace }).decision).toBe("block");
});
