import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bin } from "../../../testing/cli/process.ts";

const agent = fileURLToPath(new URL("../../../testing/cli/programs/working-claude.mjs", import.meta.url));

/** A home with a workspace in it, and `spoor run` there with the agent that plays these steps. */
function place(files: Record<string, string> = { "a.txt": "one\n" }) {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-changes-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const [work, data] = [path.join(home, "work"), path.join(home, "data")];
  mkdirSync(work);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(work, name)), { recursive: true });
    writeFileSync(path.join(work, name), text);
  }
  const env = { PATH: process.env.PATH, HOME: home, SPOOR_HOME: data };
  const spoor = (...argv: string[]) =>
    spawnSync(process.execPath, [bin, ...argv], { cwd: work, env, encoding: "utf8", input: "" });
  const command = ["--command", `"${process.execPath}" "${agent}"`, "--approve", "auto"];
  const first = { until: path.join(data, "workspaces") };
  const argvOf = (steps: object[], flags: string[]) => {
    const all = flags.includes("--no-snapshots") ? steps : [first, ...steps];
    return ["run", "claude", JSON.stringify(all), ...command, "--no-tape", ...flags];
  };
  const run = (steps: object[], ...flags: string[]) => {
    const ended = spoor(...argvOf(steps, flags));
    return { ...ended, events: events() };
  };
  const events = (): { type: string; data: Record<string, unknown> }[] =>
    spoor("events", "--run", "last", "--json")
      .stdout.trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  const findings = () => {
    const input = spoor("events", "--run", "last", "--json").stdout;
    return spawnSync(process.execPath, [bin, "check"], { cwd: work, env, encoding: "utf8", input }).status;
  };
  return { home, work, data, env, spoor, run, events, argvOf, findings };
}

const shell = (id: string, command: string) => [
  { begin: id, tool: "Bash", input: { command } },
  { do: command },
  { end: id, result: { stdout: "", stderr: "" } },
];

const patchesOf = (events: { type: string; data: Record<string, unknown> }[]) =>
  events
    .filter(({ type }) => type === "artifact.created")
    .map(({ data: { path: file, tool_call_id, attribution, additions, deletions } }) => [
      ...[file, tool_call_id, attribution, additions, deletions],
    ]);

const after = (events: { type: string; data: Record<string, unknown> }[], call: string) => {
  const types = events.map(({ type }) => type);
  const at = events.findIndex(({ type, data }) => type === "tool.completed" && data.tool_call_id === call);
  const end = types.findIndex((type, n) => n > at && /^(turn|assistant|session|tool\.invoked)/.test(type));
  return types.slice(at, end).filter((type) => /^(tool|artifact)/.test(type));
};

describe("a change that an agent makes under spoor run", { timeout: 60_000 }, () => {
  it("becomes a patch when a shell command makes it, with all its events behind the end of the call", () => {
    const { run, findings } = place({ "a.txt": "one\n", "gone.txt": "bye\n" });
    const { status, stderr, events } = run(shell("c1", "echo two >> a.txt; rm gone.txt; echo hi > made.txt"));
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^✓ Done in .*\nRecorded as/) });
    expect(events.find(({ type }) => type === "run.started")?.data).toMatchObject({ snapshots: "git" });
    expect(patchesOf(events)).toEqual([
      ["a.txt", "c1", "call", 1, 0],
      ["gone.txt", "c1", "call", 0, 1],
      ["made.txt", "c1", "call", 1, 0],
    ]);
    expect(after(events, "c1")).toEqual([
      "tool.completed",
      ...["tool.edit.proposed", "tool.file.patch", "artifact.created", "tool.edit.applied"],
      ...["tool.file.deleted", "artifact.created"],
      ...["tool.file_write.proposed", "tool.file.patch", "artifact.created", "tool.file_write.applied"],
    ]);
    expect(findings()).toBe(0);
  });

  it("is told once where the agent tells it itself, with the id of the patch", () => {
    const { run, work, findings } = place({ "a.txt": "one\n", "b.txt": "1\n" });
    const file = path.join(work, "a.txt");
    const { events } = run([
      { begin: "c1", tool: "Edit", input: { file_path: file, old_string: "one", new_string: "two" } },
      { do: "printf 'two\\n' > a.txt" },
      {
        end: "c1",
        result: {
          filePath: file,
          structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-one", "+two"] }],
        },
      },
      { begin: "c2", tool: "Write", input: { file_path: path.join(work, "new.txt"), content: "hi" } },
      { do: "printf hi > new.txt" },
      { end: "c2", result: { type: "create", filePath: path.join(work, "new.txt"), content: "hi" } },
      // The agent does not say that the file is new.
      { begin: "c3", tool: "Edit", input: { file_path: path.join(work, "made.txt"), old_string: "", new_string: "x" } },
      { do: "echo x > made.txt" },
      {
        end: "c3",
        result: {
          filePath: path.join(work, "made.txt"),
          structuredPatch: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: ["+x"] }],
        },
      },
    ]);
    const told = events.filter(({ type }) => type === "tool.file.patch");
    expect(told.map(({ data }) => [data.tool_call_id, data.artifact_id])).toEqual(
      events.filter(({ type }) => type === "artifact.created").map(({ data }) => [data.tool_call_id, data.artifact_id]),
    );
    expect(patchesOf(events)).toEqual([
      ["a.txt", "c1", "call", 1, 1],
      ["new.txt", "c2", "call", 1, 0],
      ["made.txt", "c3", "call", 1, 0],
    ]);
    expect(after(events, "c1")).toEqual([
      ...["tool.completed", "tool.edit.proposed", "tool.file.patch", "artifact.created", "tool.edit.applied"],
    ]);
    expect(after(events, "c3")).toEqual([
      ...["tool.completed", "tool.file_write.proposed", "tool.file.patch", "artifact.created"],
      "tool.file_write.applied",
    ]);
    expect(findings()).toBe(0);
  });

  it("is flagged where git would run it later, by spoor show and spoor diff", () => {
    const { run, spoor, work, findings } = place();
    spawnSync("git", ["init", "-q", work]);
    mkdirSync(path.join(work, ".git", "hooks"), { recursive: true });
    writeFileSync(path.join(work, ".git", "hooks", "post-commit"), "#!/bin/sh\n");
    const command = "echo two > a.txt; echo evil > .git/hooks/pre-push; rm .git/hooks/post-commit";
    const { status, events } = run(shell("c1", command));
    expect(status).toBe(0);
    const files = [
      { path: ".git/hooks/post-commit", change: "deleted" },
      { path: ".git/hooks/pre-push", change: "created" },
    ];
    const flags = events.filter(({ type }) => type === "policy.git_settings_changed");
    expect(flags).toMatchObject([{ data: { files } }]);
    expect(findings()).toBe(0);
    const diff = spoor("diff", "last");
    expect(diff).toMatchObject({
      stdout: expect.stringContaining("+two"),
      stderr: expect.stringContaining("pre-push"),
    });
    expect(JSON.parse(spoor("diff", "last", "--json").stdout)).toMatchObject({ git_settings: files });
    expect(spoor("show", "last").stdout).toMatch(/\nGit {6}Git takes .*:\n {11}deleted \.git.*\n {11}created /);
  });

  it("is found when its call fails, and when a subagent makes it", () => {
    const { run, findings } = place();
    const { events } = run([
      { begin: "c1", tool: "Bash", input: { command: "x" } },
      { do: "echo 1 > failed.txt" },
      { end: "c1", error: "exit 1" },
      { begin: "t1", tool: "Task", input: { description: "d", prompt: "p", subagent_type: "general-purpose" } },
      { begin: "s1", tool: "Bash", input: { command: "y" }, parent: "t1" },
      { do: "echo 2 > sub.txt" },
      { end: "s1", parent: "t1" },
      { end: "t1" },
    ]);
    const all = patchesOf(events);
    expect(all.find(([file]) => file === "failed.txt")).toEqual(["failed.txt", "c1", "call", 1, 0]);
    expect(findings()).toBe(0);
  });

  it("is kept when Ctrl-C at the terminal ends the run in the middle of the command", async () => {
    const { argvOf, events, work, data, env, findings } = place();
    const steps = [{ begin: "c1", tool: "Bash", input: { command: "x" } }, { do: "echo 1 > half.txt" }, { hang: true }];
    // A terminal sends the signal to the whole process group.
    const child = spawn(process.execPath, [bin, ...argvOf(steps, [])], {
      cwd: work,
      env,
      detached: true,
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    onTestFinished(() => void child.kill("SIGKILL"));
    await vi.waitFor(() => expect(readdirSync(work)).toContain("half.txt"), { timeout: 30_000 });
    process.kill(-(child.pid ?? 0), "SIGINT");
    await ended;
    expect(patchesOf(events())).toEqual([["half.txt", "c1", "call", 1, 0]]);
    expect(findings()).toBe(0);
    const store = path.join(data, "workspaces", readdirSync(path.join(data, "workspaces"))[0] ?? "", "shadow.git");
    expect(readdirSync(store).filter((name) => name.startsWith("index"))).toEqual(["index"]);
  });

  it("can be undone with one command, to the byte", () => {
    const { run, spoor, work } = place({ "a.txt": "one\r\nlast", "gone.txt": "bye\n" });
    run(shell("c1", "printf 'one\\r\\nlast\\n' > a.txt; chmod +x a.txt; rm gone.txt; echo hi > made.txt"));
    expect(spoor("revert", "last")).toMatchObject({ status: 0 });
    expect(readdirSync(work)).toEqual(["a.txt", "gone.txt"]);
    expect(readFileSync(path.join(work, "a.txt"), "latin1")).toBe("one\r\nlast");
    expect(statSync(path.join(work, "a.txt")).mode & 0o111).toBe(0);
  });

  it("is kept through a server, too", async () => {
    const { run, env, work } = place();
    const server = spawn(process.execPath, [bin, "serve", "--port", "0"], {
      cwd: work,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(async () => {
      const ended = once(server, "exit");
      server.kill("SIGTERM");
      await ended;
    });
    await once(server.stdout, "data");
    const { status, events } = run(shell("c1", `echo two >> a.txt; head -c 100000 /dev/zero > big.bin`));
    expect(status).toBe(0);
    expect(patchesOf(events).map(([file]) => file)).toEqual(["a.txt", "big.bin"]);
  });

  it("is not looked for with --no-snapshots", () => {
    const { run } = place();
    const { events } = run(shell("c1", "echo 1 > one.txt"), "--no-snapshots");
    expect(events.find(({ type }) => type === "run.started")?.data).toMatchObject({ snapshots: "off" });
    expect(patchesOf(events)).toEqual([]);
  });
});
