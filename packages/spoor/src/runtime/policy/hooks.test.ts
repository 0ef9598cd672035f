import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { allGone } from "../../../testing/process/pids.ts";
import { readHooks, readLayer } from "../../options/config/configuration-files.ts";
import { runHooks, withHooks } from "./hooks.ts";
import type { Verdict } from "./types.ts";

const folder = mkdtempSync(path.join(tmpdir(), "spoor-hooks-"));
afterAll(() => rmSync(folder, { recursive: true }));
const envelope =
  '{"type":"tool.invoked","data":{"tool_call_id":"call_1","tool_name":"Bash","input":{"command":"é  ls"}}}';
const base = { envelope, tool_name: "Bash", tool_call_id: "call_1", cwd: folder };

/** A hook that runs this JavaScript. */
const hook = (code: string, tool?: string) => ({
  command: [process.execPath, "-e", code],
  ...(tool !== undefined && { tool }),
});
const answer = (value: object): string => `console.log(${JSON.stringify(JSON.stringify(value))})`;
const before = (...hooks: ReturnType<typeof hook>[]) =>
  runHooks({ ...base, hook: "PreToolUse", hooks: { PreToolUse: hooks } });

describe("hooks before a call", () => {
  it("get the envelope byte for byte on standard input", async () => {
    const file = path.join(folder, "seen");
    await before(hook(`process.stdin.pipe(require("fs").createWriteStream(${JSON.stringify(file)}))`));
    expect(readFileSync(file, "utf8")).toBe(`${envelope}\n`);
  });

  it.each(["allow", "deny", "ask"] as const)("answer %s with a reason", async (decision) => {
    const result = await before(hook(answer({ decision, reason: "because" })));
    expect(result).toMatchObject({
      decision,
      reason: "because",
      outcomes: [{ hook: "PreToolUse", outcome: "ok", decision, exit_code: 0, tool_call_id: "call_1" }],
    });
  });

  it("deny with exit code 2 and say why on standard error", async () => {
    expect(await before(hook('console.error("not today"); process.exitCode = 2'))).toMatchObject({
      decision: "deny",
      reason: "not today",
    });
  });

  it.each([
    ["ends with another code", "process.exitCode = 1", "exit code 1"],
    ["ends by a signal", 'process.kill(process.pid, "SIGKILL")', "a signal"],
    ["prints something else", 'console.log("yes")', "something else"],
    ["has an unknown decision", answer({ decision: "yes" }), "something else"],
  ])("count as ask when the hook %s", async (_, code, reason) => {
    const result = await before(hook(code));
    expect(result).toMatchObject({
      decision: "ask",
      reason: expect.stringContaining(reason),
      outcomes: [{ outcome: "failed" }],
    });
  });

  it("count as ask when the program does not exist", async () => {
    const result = await runHooks({
      ...base,
      hook: "PreToolUse",
      hooks: { PreToolUse: [{ command: ["spoor-no-such-program"] }] },
    });
    expect(result).toMatchObject({ decision: "ask", outcomes: [{ outcome: "failed", decision: "ask" }] });
  });

  it("count as ask after the timeout, and their whole process group is ended", async () => {
    const file = path.join(folder, "pid");
    const code = `const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
      require("fs").writeFileSync(${JSON.stringify(file)}, String(child.pid)); setInterval(() => {}, 1000)`;
    const result = await runHooks({
      ...base,
      hook: "PreToolUse",
      hooks: { PreToolUse: [hook(code)] },
      timeoutMs: 1500,
    });
    expect(result).toMatchObject({ decision: "ask", outcomes: [{ outcome: "timed_out", exit_code: -1 }] });
    await allGone([Number(readFileSync(file, "utf8"))]);
  });

  it("have no opinion when they print nothing", async () => {
    expect(await before(hook(""))).toMatchObject({ decision: undefined, outcomes: [{ outcome: "ok" }] });
  });

  it("run only for their tool, in order, until one denies", async () => {
    const result = await before(
      hook(answer({ decision: "deny" }), "Write"),
      hook(answer({ decision: "allow" }), "B*"),
      hook(answer({ decision: "deny", reason: "second" })),
      hook(answer({ decision: "allow" })),
    );
    expect(result).toMatchObject({ decision: "deny", reason: "second" });
    expect(result.outcomes.map(({ decision }) => decision)).toEqual(["allow", "deny"]);
  });

  it("start a list of words without a shell, and a text with one", async () => {
    const file = path.join(folder, "args");
    const code = `require("fs").writeFileSync(${JSON.stringify(file)}, process.argv[1])`;
    await runHooks({
      ...base,
      hook: "PreToolUse",
      hooks: { PreToolUse: [{ command: [process.execPath, "-e", code, "$HOME;ls"] }] },
    });
    expect(readFileSync(file, "utf8")).toBe("$HOME;ls");
    const text = `echo '{"decision":"deny","reason":"from sh"}' && true`;
    const result = await runHooks({ ...base, hook: "PreToolUse", hooks: { PreToolUse: [{ command: text }] } });
    expect(result).toMatchObject({ decision: "deny", reason: "from sh" });
  });
});

it("hooks after a call decide nothing", async () => {
  const hooks = { PostToolUse: [hook(answer({ decision: "deny" })), hook("process.exitCode = 2")] };
  const result = await runHooks({ ...base, hook: "PostToolUse", hooks });
  expect(result.decision).toBeUndefined();
  expect(result.outcomes.map(({ outcome }) => outcome)).toEqual(["ok", "failed"]);
});

it("a hook never loosens a block, and can make everything else stricter", () => {
  const verdict = (decision: Verdict["decision"]): Verdict => ({ decision, policy_id: "x", reason: "", parts: [] });
  const by = (decision: "allow" | "deny" | "ask" | undefined) => ({ decision, reason: "", outcomes: [] });
  const joined = (["allow", "ask", "block"] as const).map((one) =>
    (["allow", "ask", "deny", undefined] as const).map((other) => withHooks(verdict(one), by(other)).decision),
  );
  expect(joined).toEqual([
    ["allow", "ask", "block", "allow"],
    ["allow", "ask", "block", "ask"],
    ["block", "block", "block", "block"],
  ]);
});

it("hooks come from the user's configuration alone, and a mistake in them is an error", () => {
  const [global, project] = [path.join(folder, "user"), path.join(folder, "project")];
  const hooks = { PreToolUse: [{ command: ["x"] }] };
  const write = (place: string, value: unknown) => writeFileSync(place, JSON.stringify(value));
  for (const place of [global, project]) rmSync(place, { recursive: true, force: true });
  for (const place of [global, project]) mkdirSync(place);
  write(path.join(global, "config.json"), { hooks });
  write(path.join(project, "config.json"), { hooks });
  expect(readHooks({ global })).toEqual(hooks);
  expect(() => readLayer(path.join(project, "config.json"), { global, project })).toThrow(
    "only your own configuration can define them",
  );
  write(path.join(global, "config.json"), { hooks: { PreToolUse: [{ command: "" }], Later: [] } });
  expect(() => readHooks({ global })).toThrow(/PreToolUse\[0\] must have a command[\s\S]*hooks.Later is not known/);
});
