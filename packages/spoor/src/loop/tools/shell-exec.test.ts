import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { needsBubblewrap, openHeld, processesNamed } from "../../../testing/loop/held-commands.ts";
import type { ProcessControls } from "../../runtime/queue/executor.ts";
import type { PlainCommand } from "../sandbox/sandbox.ts";
import { shellExec } from "./shell-exec.ts";

describe.each(["bwrap", "none"] as const)("a command in the sandbox %s", { timeout: 60_000 }, (choice) => {
  if (choice === "bwrap") needsBubblewrap();

  it("tells how it is held, its output as it comes, and how it ended", async () => {
    const held = openHeld({ choice });
    const { result, signals, fields } = await held.shell("echo out; echo err >&2; exit 3", { timeout_ms: 5_000 });
    expect(signals[0]).toEqual({
      ...{ kind: "shell", id: "call-1", command: "echo out; echo err >&2; exit 3", cwd: held.root, runs: true },
    });
    const told = signals.flatMap((signal) => (signal.kind === "output" ? [[signal.stream, signal.text]] : []));
    expect(told.sort()).toEqual([
      ["stderr", "err\n"],
      ["stdout", "out\n"],
    ]);
    expect(fields["tool.shell.command"]).toMatchObject({
      argv: ["sh", "-c", "echo out; echo err >&2; exit 3"],
      cwd: held.root,
      command_string: "echo out; echo err >&2; exit 3",
      env_keys: expect.arrayContaining(["HOME", "PATH"]),
      sandbox_layer: choice,
      timeout_ms: 5_000,
      "hecate.tool.working_directory": held.root,
      "hecate.tool.timeout_ms": 5_000,
    });
    expect(shellExec.held?.({ command: "x" }, await held.sandbox())).toEqual({
      "hecate.sandbox.wrapper.kind": choice,
      "hecate.sandbox.network.enabled": choice === "none",
      "hecate.sandbox.read_only": false,
      "hecate.sandbox.output_limit.bytes": 10 * 1024 * 1024,
    });
    const attributes = {
      "hecate.tool.exit_code": 3,
      "hecate.tool.stdout.bytes": 4,
      "hecate.tool.stderr.bytes": 4,
      "hecate.tool.timed_out": false,
      "hecate.tool.cancelled": false,
      "hecate.tool.output_truncated": false,
    };
    expect(result).toMatchObject({
      error: "The command ended with exit code 3.",
      outcome: "failed",
      exitCode: 3,
      fields: { "tool.shell.exited": { signal: null, truncated: false, ...attributes }, "tool.failed": attributes },
    });
  });

  it("works on the workspace", async () => {
    const held = openHeld({ choice });
    const { result } = await held.shell("mkdir -p a && echo text > a/b && cat a/b");
    expect(result).toMatchObject({ output: "text\n", summary: "exit 0", exitCode: 0 });
    expect(result.error).toBeUndefined();
    expect(readFileSync(held.at("a/b"), "utf8")).toBe("text\n");
    expect(readdirSync(held.root)).toEqual(["a"]);
  });

  it("gets no keys of providers and no token of ours", async () => {
    const { text } = await openHeld({ choice }).shell("env");
    expect(text).not.toMatch(/ANTHROPIC|SPOOR_TOKEN/);
  });

  it("says when it wrote nothing", async () => {
    const { result } = await openHeld({ choice }).shell("true");
    expect(result.output).toBe("The command ended with exit code 0 and wrote nothing.");
  });

  it("may write invalid UTF-8 and NUL", async () => {
    const { result } = await openHeld({ choice }).shell("printf 'a\\000b\\377\\376c\\303'");
    expect(result.output).toBe("a\0b\uFFFD\uFFFDc\uFFFD");
  });

  it("is stopped with all its processes when its time is over", async () => {
    const held = openHeld({ choice });
    const seconds = 100_000 + process.pid;
    const { result, text } = await held.shell(`sleep ${seconds} & setsid sleep ${seconds} & echo begun; wait`, {
      timeout_ms: 400,
    });
    expect(result).toMatchObject({ outcome: "timed_out", fields: { "tool.timed_out": { after_ms: 400 } } });
    expect(text).toContain("The command was stopped after 400 ms, its time limit. Set timeout_ms if it needs longer.");
    expect(text).toContain("begun");
    expect(processesNamed(`sleep ${seconds}`)).toEqual([]);
  });

  it("is stopped when it writes more than 10 MiB", async () => {
    const { result, signals } = await openHeld({ choice }).shell("yes 0123456789");
    expect(result).toMatchObject({ outcome: "timed_out", fields: { "tool.shell.exited": { truncated: true } } });
    expect(result.error).toBe("The command was stopped, because it wrote more than 10485760 bytes.");
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(10 * 1024 * 1024);
    const told = signals.flatMap((signal) => (signal.kind === "output" ? [signal.text] : []));
    expect(told.join("")).toBe(result.output);
    expect(told.length).toBeLessThan(1_000);
  });

  it("is stopped when the call is cancelled", async () => {
    const stop = new AbortController();
    const { result } = await openHeld({ choice }).shell(
      "echo begun; sleep 300",
      {},
      {
        signal: stop.signal,
        onOutput: () => stop.abort(),
      },
    );
    expect(result).toMatchObject({ outcome: "cancelled", error: "The command was cancelled.", output: "begun\n" });
  });

  it("can be paused and killed by whoever holds the run", async () => {
    let running: ProcessControls | undefined;
    const { result } = await openHeld({ choice }).shell(
      "echo begun; sleep 300",
      {},
      {
        onStart(processes) {
          running = processes;
        },
        onOutput() {
          running?.pause();
          running?.resume();
          running?.kill();
        },
      },
    );
    expect(result).toMatchObject({ outcome: "failed", error: "The command was ended by SIGKILL." });
  });

  it("does not wait for a process that it leaves behind and that holds its output open", async () => {
    const { result } = await openHeld({ choice }).shell("sleep 300 & echo over");
    expect(result).toMatchObject({ output: "over\n", exitCode: 0 });
  });

  it("that was cancelled before it began tells nothing", async () => {
    const { result, signals } = await openHeld({ choice }).shell("echo x", {}, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ outcome: "cancelled" });
    expect(signals).toEqual([]);
  });
});

it("E4: the question about a command with network says that it reaches every address", async () => {
  const place = { root: "/w", environment: {} };
  const ask = async (input: object) =>
    (await shellExec.describe?.({ command: "npm install", ...input }, place))?.summary;
  expect(await ask({})).toBe("Run a command");
  expect(await ask({ hosts: ["packages.example.org"] })).toBe(
    "Run a command with network, for packages.example.org. It could reach every address, also this machine and its network",
  );
});

describe("a sandbox that fails after its trial", () => {
  needsBubblewrap();

  it("refuses the command, and nothing is told of one", async () => {
    const held = openHeld();
    mkdirSync(held.at("lib/.claude"), { recursive: true });
    const sandbox = await held.sandbox();
    const wrap = sandbox.wrap.bind(sandbox);
    // A folder that is to be read-only vanishes at the last moment.
    Object.assign(sandbox, {
      wrap(command: PlainCommand) {
        const wrapped = wrap(command);
        rmSync(held.at("lib"), { recursive: true });
        return wrapped;
      },
    });
    const { result, signals } = await held.shell("touch made");
    expect(result.error).toMatch(/^The sandbox refused the command\. bwrap: Can't find source path .*lib\/\.claude/);
    expect(result).not.toHaveProperty("exitCode");
    expect(signals).toEqual([]);
    expect(readdirSync(held.root)).toEqual([]);
  });

  it("is killed before the command begins: it is told so", async () => {
    const held = openHeld();
    const sandbox = await held.sandbox();
    const wrap = sandbox.wrap.bind(sandbox);
    // A sandbox that never gets ready.
    Object.assign(sandbox, { wrap: (command: PlainCommand) => ({ ...wrap(command), argv: ["sleep", "300"] }) });
    const { result, signals } = await held.shell("true", {}, { onStart: (processes) => processes.kill() });
    expect(result.error).toBe("The command was ended by SIGKILL. It had not begun.");
    expect(signals).toEqual([]);
  });
});

describe("E6: where bubblewrap does not work", () => {
  /** A bubblewrap that is found first and does not work. */
  function breakBubblewrap({ inPlace, environment }: ReturnType<typeof openHeld>): void {
    mkdirSync(inPlace("bin"));
    writeFileSync(inPlace("bin/bwrap"), "#!/bin/sh\necho cannot do it >&2\nexit 1\n", { mode: 0o755 });
    environment.PATH = `${inPlace("bin")}:${process.env.PATH}`;
  }

  it("every command is asked about, and the layer is none", async () => {
    const held = openHeld({ choice: "auto" });
    breakBubblewrap(held);
    const sandbox = await held.sandbox();
    expect(sandbox).toMatchObject({ layer: "none", asks: true });
    expect(sandbox.reason).toContain("bin/bwrap does not work here: cannot do it.");
    expect((await held.shell("echo ran")).fields["tool.shell.command"]).toMatchObject({ sandbox_layer: "none" });
  });

  it("a task that demands it runs no command, and nothing is told of one", async () => {
    const held = openHeld({ choice: "bwrap" });
    breakBubblewrap(held);
    const { result, signals } = await held.shell("touch made");
    expect(result.error).toMatch(/^The sandbox refused the command\. Commands must be held by bubblewrap\./);
    expect(result.outcome).toBe("failed");
    expect(signals).toEqual([]);
    expect(readdirSync(held.root)).toEqual([]);
  });

  it("a program named bwrap in the workspace is not used", async () => {
    const held = openHeld({ choice: "auto" });
    writeFileSync(held.at("bwrap"), "#!/bin/sh\ntouch ran\necho started\n", { mode: 0o755 });
    held.environment.PATH = `${held.root}:${process.env.PATH}`;
    await held.sandbox();
    expect(readdirSync(held.root)).toEqual(["bwrap"]);
  });

  it("who gives it up is not asked, and the reason is told", async () => {
    expect(await openHeld({ choice: "none" }).sandbox()).toMatchObject({
      ...{ layer: "none", asks: false, reason: "The task or the user gave up the sandbox for commands." },
    });
  });
});
