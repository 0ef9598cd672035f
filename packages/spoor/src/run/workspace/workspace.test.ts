import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { allGone, isRunning, until } from "../../../testing/process/pids.ts";
import { all, answersIn, eventsOfRun, newWorkspace, runAcp, type Step } from "../../../testing/run/acp-agent.ts";
import type { PendingInteraction } from "../interaction-channel.ts";

const write = (file: string, content: string): Step => ({ ask: "fs/write_text_file", params: { path: file, content } });
const read = (file: string, lines: object = {}): Step => ({
  ask: "fs/read_text_file",
  params: { path: file, ...lines },
});
const create = (command: string, params: object = {}): Step => ({
  ask: "terminal/create",
  params: { command, ...params },
});
const terminal = (what: string): Step => ({ ask: `terminal/${what}`, params: { terminalId: "$terminal" } });
const report: Step = { report: true };

/** A workspace with a secret file beside it, and links that lead to that. */
function besideSecret(): { cwd: string; secret: string } {
  const outer = newWorkspace();
  const cwd = path.join(outer, "project");
  const secret = path.join(outer, "secret.txt");
  mkdirSync(cwd);
  writeFileSync(secret, "secret");
  symlinkSync(secret, path.join(cwd, "link.txt"));
  symlinkSync(outer, path.join(cwd, "folder"));
  symlinkSync(path.join(outer, "new.txt"), path.join(cwd, "dangling.txt"));
  symlinkSync("loop", path.join(cwd, "loop"));
  return { cwd, secret };
}

describe("files an agent reads through us", () => {
  it("are returned whole, or by lines counted from 1", async () => {
    const cwd = newWorkspace();
    writeFileSync(path.join(cwd, "a.txt"), "\uFEFFone\r\ntwo\nthree");
    const file = path.join(cwd, "a.txt");
    const ranges = [{}, { line: 2 }, { line: 2, limit: 1 }, { limit: 1 }, { line: 9 }, { limit: 0 }, { line: null }];
    const events = await eventsOfRun(runAcp([...ranges.map((lines) => read(file, lines)), report], { cwd }));
    expect(answersIn(events).map(({ result }) => (result as { content: string }).content)).toEqual([
      "\uFEFFone\r\ntwo\nthree",
      "two\nthree",
      "two\n",
      "\uFEFFone\r\n",
      "",
      "",
      "\uFEFFone\r\ntwo\nthree",
    ]);
  });

  it("must be regular, not too large, text, and inside the workspace", async () => {
    const { cwd, secret } = besideSecret();
    const inside = (name: string) => path.join(cwd, name);
    mkdirSync(inside("sub"));
    execFileSync("mkfifo", [inside("pipe")]);
    writeFileSync(inside("huge.txt"), "");
    truncateSync(inside("huge.txt"), 20 * 1024 * 1024);
    writeFileSync(inside("binary"), Buffer.from([0xff, 0xfe, 0x00]));
    const hostile = [
      secret,
      "../secret.txt",
      inside("link.txt"),
      inside("folder/secret.txt"),
      "/dev/zero",
      "/etc/passwd",
    ];
    const unfit = [inside("sub"), inside("pipe"), inside("huge.txt"), inside("binary"), inside("loop"), "", "a\0b"];
    const wrong = [{ line: -1 }, { limit: 1.5 }].map((lines) => read(inside("binary"), lines));
    const steps = [...[...hostile, ...unfit].map((file) => read(file)), ...wrong, read(inside("missing.txt")), report];
    const answers = answersIn(await eventsOfRun(runAcp(steps, { cwd })));
    expect(answers.map(({ error }) => error?.code)).toEqual([...Array(15).fill(-32602), -32002]);
    expect(JSON.stringify(answers)).not.toMatch(/"content"|root:/);
    expect(answers[0]?.error?.message).toContain("outside the workspace");
  });
});

describe("files an agent writes through us", () => {
  it("are emitted once, with their diff", async () => {
    const cwd = newWorkspace();
    writeFileSync(path.join(cwd, "old.txt"), "one\n");
    const call = { toolCallId: "c", title: "Save", kind: "edit", status: "in_progress" };
    const events = await eventsOfRun(
      runAcp(
        [
          { update: { sessionUpdate: "tool_call", ...call } },
          write(path.join(cwd, "old.txt"), "two\n"),
          write("deep/er/new.txt", "né\n"),
          { update: { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" } },
          write(path.join(cwd, "alone.txt"), "by itself\n"),
          { say: "Done." },
        ],
        { cwd },
      ),
    );
    expect(all(events, "file_patch")).toMatchObject([
      { path: path.join(cwd, "old.txt"), toolCallId: "c", diff: expect.stringContaining("-one\n+two\n") },
    ]);
    expect(all(events, "file_create").map(({ path: file, byteCount }) => [path.basename(file), byteCount])).toEqual([
      ["new.txt", 4],
      ["alone.txt", 10],
    ]);
    expect(all(events, "tool_call_ready").map(({ toolKind }) => toolKind)).toEqual(["edit", "file_write"]);
    expect(readFileSync(path.join(cwd, "deep/er/new.txt"), "utf8")).toBe("né\n");
  });

  it("are emitted with the agent's own diff if it has one, and only once", async () => {
    const cwd = newWorkspace();
    const file = path.join(cwd, "a.txt");
    const diff = { type: "diff", path: file, oldText: null, newText: "x\n" };
    const call = { toolCallId: "c", title: "Save", kind: "edit", status: "completed", content: [diff] };
    const early = await eventsOfRun(
      runAcp([write(file, "x\n"), { update: { sessionUpdate: "tool_call", ...call } }], { cwd }),
    );
    expect(all(early, "file_create")).toHaveLength(1);
  });

  it("are emitted even if their call failed or never ended", async () => {
    const cwd = newWorkspace();
    const call = (toolCallId: string) => ({ toolCallId, title: "Save", kind: "edit", status: "in_progress" });
    const events = await eventsOfRun(
      runAcp(
        [
          { update: { sessionUpdate: "tool_call", ...call("c") } },
          write("a.txt", "a"),
          { update: { sessionUpdate: "tool_call_update", toolCallId: "c", status: "failed" } },
          { update: { sessionUpdate: "tool_call", ...call("d") } },
          write("b.txt", "b"),
        ],
        { cwd },
      ),
    );
    expect(all(events, "file_create").map((event) => event.path)).toEqual(["a.txt", "b.txt"]);
  });

  it("are never outside, behind links or special files, and nothing is created there", async () => {
    const { cwd, secret } = besideSecret();
    mkdirSync(path.join(cwd, "sub"));
    const hostile = [secret, "../new.txt", "link.txt", "dangling.txt", "folder/new.txt", "loop", "sub", "/dev/null"];
    const answers = answersIn(await eventsOfRun(runAcp([...hostile.map((file) => write(file, "x")), report], { cwd })));
    expect(answers.map(({ error }) => error?.code)).toEqual(hostile.map(() => -32602));
    expect(readFileSync(secret, "utf8")).toBe("secret");
    expect(existsSync(path.join(cwd, "../new.txt"))).toBe(false);
  });

  it("keep their mode", async () => {
    const cwd = newWorkspace();
    writeFileSync(path.join(cwd, "run.sh"), "a much longer text than what comes\n", { mode: 0o755 });
    await eventsOfRun(runAcp([write("run.sh", "short\n")], { cwd }));
    expect(readFileSync(path.join(cwd, "run.sh"), "utf8")).toBe("short\n");
    expect(statSync(path.join(cwd, "run.sh")).mode & 0o777).toBe(0o755);
  });
});

describe("commands an agent runs through us", () => {
  it("emit their output and exit, and the agent gets the same", async () => {
    const cwd = newWorkspace();
    mkdirSync(path.join(cwd, "sub"));
    const script = "pwd; echo $GREETING; echo oops >&2; exit 3";
    const call = { toolCallId: "c", title: "Tests", kind: "execute", status: "in_progress" };
    const events = await eventsOfRun(
      runAcp(
        [
          create("sh", {
            args: ["-c", script],
            cwd: path.join(cwd, "sub"),
            env: [{ name: "GREETING", value: "hello" }],
          }),
          {
            update: { sessionUpdate: "tool_call", ...call, content: [{ type: "terminal", terminalId: "terminal-1" }] },
          },
          terminal("wait_for_exit"),
          terminal("output"),
          terminal("release"),
          { update: { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" } },
          report,
        ],
        { cwd },
      ),
    );
    const printed = (type: "shell_stdout_delta" | "shell_stderr_delta") =>
      all(events, type)
        .map(({ delta }) => delta)
        .join("");
    expect(all(events, "shell_start")).toMatchObject([
      { command: `sh -c ${script}`, cwd: path.join(cwd, "sub"), toolCallId: "c" },
    ]);
    expect(printed("shell_stdout_delta")).toBe(`${path.join(cwd, "sub")}\nhello\n`);
    expect(printed("shell_stderr_delta")).toBe("oops\n");
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 3 }]);
    const [, exit, output, released] = answersIn(events);
    expect(exit?.result).toEqual({ exitCode: 3, signal: null });
    expect(output?.result).toMatchObject({ truncated: false, exitStatus: { exitCode: 3 } });
    expect(released?.result).toEqual({});
  });

  it("are emitted once even if no call names them", async () => {
    const steps = [create("echo plain line"), terminal("wait_for_exit"), terminal("release"), { say: "Done." }];
    const events = await eventsOfRun(runAcp(steps));
    expect(all(events, "shell_start")).toMatchObject([{ command: "echo plain line" }]);
    expect(all(events, "shell_stdout_delta").map(({ delta }) => delta)).toEqual(["plain line\n"]);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
    expect(all(events, "tool_result")).toHaveLength(1);
  });

  it("keep the end of long output without cutting a character", async () => {
    const print = "process.stdout.write('€'.repeat(1000))";
    const steps = [
      create(process.execPath, { args: ["-e", print], outputByteLimit: 101 }),
      terminal("wait_for_exit"),
      terminal("output"),
      report,
    ];
    const [, , output] = answersIn(await eventsOfRun(runAcp(steps)));
    expect(output?.result).toMatchObject({ truncated: true, output: `${"€".repeat(33)}\n` });
  });

  it("get the agent's environment; in clean mode without the agent's keys", async () => {
    const environment = { ...process.env, ACP_SECRET: "key", SPOOR_TOKEN: "token" };
    const steps = [create("sh", { args: ["-c", "env"] }), terminal("wait_for_exit"), terminal("output"), report];
    const printed = async (options: object) =>
      JSON.stringify(answersIn(await eventsOfRun(runAcp(steps, { environment, ...options })))[2]);
    const inherited = await printed({});
    expect(inherited).toMatch(/PATH=.*ACP_SECRET=key|ACP_SECRET=key.*PATH=/);
    expect(inherited).not.toContain("SPOOR_TOKEN");
    const clean = await printed({ environmentMode: "clean", passEnv: ["ACP_SECRET"] });
    expect(clean).toContain("PATH=");
    expect(clean).not.toMatch(/ACP_SECRET|SPOOR_TOKEN/);
  });

  it("do not start outside the workspace or without a program; unknown terminals are an error", async () => {
    const { cwd } = besideSecret();
    const steps = [
      create("ls", { cwd: "/" }),
      create("ls", { cwd: path.join(cwd, "folder") }),
      create(""),
      create("no-such-program-anywhere"),
      { ask: "terminal/output", params: { terminalId: "terminal-9" } },
      { ask: "terminal/kill", params: {} },
      report,
    ];
    const codes = answersIn(await eventsOfRun(runAcp(steps, { cwd }))).map(({ error }) => error?.code);
    expect(codes).toEqual([-32602, -32602, -32602, -32603, -32002, -32602]);
  });

  it("can be killed and still be read until they are released", async () => {
    const steps = [
      create("sh", { args: ["-c", "echo up; exec sleep 60"] }),
      terminal("kill"),
      terminal("wait_for_exit"),
      terminal("output"),
      terminal("release"),
      terminal("output"),
      report,
    ];
    const answers = answersIn(await eventsOfRun(runAcp(steps)));
    expect(answers[2]?.result).toEqual({ exitCode: null, signal: "SIGTERM" });
    expect(answers[3]?.result).toMatchObject({ exitStatus: { signal: "SIGTERM" } });
    expect(answers[5]?.error?.code).toBe(-32002);
  });

  it.skipIf(process.platform !== "linux")(
    "end together with descendants that left their session and lost their parent",
    async () => {
      const cwd = newWorkspace();
      const file = path.join(cwd, "pids");
      const away = `setsid sh -c "sh -c 'echo \\$\\$ > ${file}.new; mv ${file}.new ${file}; exec sleep 60' &"`;
      const script = `${away}; while [ ! -e ${file} ]; do sleep 0.01; done`;
      await eventsOfRun(runAcp([create(script), terminal("wait_for_exit"), { say: "up" }], { cwd }));
      const pids = readFileSync(file, "utf8").trim().split("\n").map(Number);
      expect(pids.filter(isRunning)).toEqual([]);
    },
  );

  it.each([
    ["stops", [], () => {}],
    ["crashes", [{ exit: 7 }], () => {}],
    ["is aborted", [{ hang: true }], (handle: { abort(): void }) => handle.abort()],
    ["is interrupted", [{ hang: true }], (handle: { interrupt(): void }) => handle.interrupt()],
  ])("end with all they started when the agent %s", async (_, last, end) => {
    const cwd = newWorkspace();
    const pids = path.join(cwd, "pids");
    const script = `sh -c 'echo $$ >> ${pids}; exec sleep 60' & echo $$ >> ${pids}; wait`;
    const started = `while [ "$(wc -l < ${pids})" != 2 ]; do sleep 0.01; done 2> /dev/null`;
    const handle = runAcp([create(script), create(started), terminal("wait_for_exit"), { say: "up" }, ...last], {
      cwd,
    });
    handle.on("text_delta", () => end(handle));
    await handle;
    await until(() => existsSync(pids));
    await allGone(readFileSync(pids, "utf8").trim().split("\n").map(Number));
  });
});

describe("permission for what an agent does through us", () => {
  const work = [write("a.txt", "x"), create("touch b.txt"), terminal("wait_for_exit"), report];

  it("is asked for by us if the agent did not ask", async () => {
    const cwd = newWorkspace();
    const events = await eventsOfRun(runAcp(work, { cwd, approve: "ask" }), true);
    expect(all(events, "approval_request")).toMatchObject([
      { action: "file_write", detail: "a.txt", riskLevel: "medium" },
      { action: "shell", detail: "touch b.txt", riskLevel: "high" },
    ]);
    expect(all(events, "approval_granted")).toHaveLength(2);
    expect([existsSync(path.join(cwd, "a.txt")), existsSync(path.join(cwd, "b.txt"))]).toEqual([true, true]);
  });

  it("that is denied leaves nothing done and no events of it", async () => {
    const cwd = newWorkspace();
    const events = await eventsOfRun(runAcp(work, { cwd, approve: "ask" }), false);
    expect(all(events, "approval_denied")).toMatchObject([{ reason: "no" }, { reason: "no" }]);
    expect([existsSync(path.join(cwd, "a.txt")), existsSync(path.join(cwd, "b.txt"))]).toEqual([false, false]);
    expect(answersIn(events).map(({ error }) => error?.code)).toEqual([-32603, -32603, -32002]);
    expect(events.map(({ type }) => type)).not.toContain("shell_start");
    expect(events.map(({ type }) => type)).not.toContain("file_create");
  });

  it("is never asked for under deny; reading still works", async () => {
    const cwd = newWorkspace();
    writeFileSync(path.join(cwd, "r.txt"), "text");
    const events = await eventsOfRun(runAcp([read("r.txt"), ...work], { cwd, approve: "deny" }));
    expect(all(events, "approval_request")).toEqual([]);
    expect(all(events, "approval_denied")).toHaveLength(2);
    expect(answersIn(events)[0]?.result).toEqual({ content: "text" });
    expect(existsSync(path.join(cwd, "a.txt"))).toBe(false);
  });

  it("that the agent asked for is not asked again, and covers only that action", async () => {
    const cwd = newWorkspace();
    const options = [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ];
    const permission = (toolCall: object): Step => ({
      ask: "session/request_permission",
      params: { toolCall, options },
    });
    const end = (toolCallId: string): Step => ({
      update: { sessionUpdate: "tool_call_update", toolCallId, status: "completed" },
    });
    const events = await eventsOfRun(
      runAcp(
        [
          permission({ toolCallId: "w", title: "Write", kind: "edit", locations: [{ path: path.join(cwd, "a.txt") }] }),
          write("a.txt", "x"),
          write("other.txt", "x"),
          end("w"),
          write("a.txt", "y"),
          permission({ toolCallId: "r", title: "Run", kind: "execute", rawInput: { command: "touch b.txt" } }),
          create("bash", { args: ["-lc", "touch b.txt"] }),
          terminal("wait_for_exit"),
          create("bash", { args: ["-lc", "touch b.txt; touch c.txt"] }),
          terminal("wait_for_exit"),
          end("r"),
        ],
        { cwd, approve: "ask" },
      ),
      true,
    );
    expect(all(events, "approval_request").map(({ action, detail }) => `${action} ${detail}`)).toEqual([
      "file_write Write",
      "file_write other.txt",
      "file_write a.txt",
      "shell touch b.txt",
      "shell bash -lc touch b.txt; touch c.txt",
    ]);
  });

  it("that is still open when the turn ends is denied, so that the agent does not wait", async () => {
    const cwd = newWorkspace();
    const call = { toolCallId: "c", title: "Look", kind: "read", status: "completed" };
    const handle = runAcp(
      [
        { update: { sessionUpdate: "tool_call", ...call } },
        { send: "fs/write_text_file", params: { path: "a.txt", content: "x" } },
        create("while [ ! -e asked ]; do sleep 0.01; done"),
        terminal("wait_for_exit"),
        { say: "Next. " },
        { reap: true },
        report,
      ],
      { cwd, approve: "ask" },
    );
    handle.interaction.onPending(({ id, description }) => {
      if (description === "shell") void handle.approve(id);
      else writeFileSync(path.join(cwd, "asked"), "");
    });
    const events = await eventsOfRun(handle);
    expect(all(events, "approval_denied")).toHaveLength(1);
    expect(all(events, "message_stop").at(-1)?.text).toContain("-32603");
  });

  it("that is open when the run is interrupted is denied", async () => {
    const cwd = newWorkspace();
    const handle = runAcp([write("a.txt", "x"), write("b.txt", "x"), report, { hang: true }, { stop: "cancelled" }], {
      cwd,
      approve: "ask",
    });
    handle.interaction.onPending(() => queueMicrotask(() => handle.interrupt()));
    const events = await eventsOfRun(handle);
    expect(all(events, "approval_request")).toHaveLength(1);
    expect(all(events, "approval_denied")).toHaveLength(1);
    expect(answersIn(events).map(({ error }) => error?.code)).toEqual([-32800, -32800]);
    expect((await handle).exitReason).toBe("interrupted");
  });
});

it("our questions show the diff of a write and the arguments of a command", async () => {
  const cwd = newWorkspace();
  const [a, b] = [path.join(cwd, "a.txt"), path.join(cwd, "b.txt")];
  writeFileSync(a, "one\ntwo\n");
  const steps = [write(a, "one\n2\n"), write(b, "new\n"), create("echo", { args: ["x"] })];
  const handle = runAcp(steps, { cwd, approve: "ask" });
  const pending: PendingInteraction[] = [];
  handle.interaction.onPending((interaction) => pending.push(interaction));
  await eventsOfRun(handle, false);
  expect(pending.map(({ input }) => input)).toEqual([
    { path: a, content: "one\n2\n" },
    { path: b, content: "new\n" },
    { command: "echo", args: ["x"] },
  ]);
  expect(pending.map(({ diff }) => diff?.split("@@").at(-1))).toEqual(["\n one\n-two\n+2\n", "\n+new\n", undefined]);
});
