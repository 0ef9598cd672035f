import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { createStreamChecker, type Envelope } from "@spoor/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { createPlace } from "../../../testing/cli/process.ts";
import { answerTo } from "../actions/demo-handbook.ts";

test("spoor demo shows a whole run without a key, answers itself after saying so, and its changes can be undone", async () => {
  const { spoor, remove } = createPlace("demo");
  onTestFinished(remove);
  const { code, stdout, stderr } = await spoor(["demo"]);
  expect(code).toBe(0);
  const workspace = /it works in (\S+)/.exec(stdout)?.[1] ?? "";
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true, maxRetries: 5 }));
  for (const part of [
    ...["A greeting is a small program.", "☐ To do 0/3: Write the program and a test then: Make the test pass"],
    ...["  │ not ok: it said", "  ✗ exit 1", "● Edit greet.sh +1 -1", "  │ ok: Hello, world!", "● handbook/look_up"],
    ...["● reviewer Review greet.sh", "  └ 1 tool · “It greets the world if nobody is named.", "☐ To do 3/3"],
  ])
    expect(stdout).toContain(part);
  expect(stderr).toContain("  allowed (nobody is at the terminal, so the demo answers itself)");
  expect(stderr).toMatch(/✓ Done in 0:\d\d · 9 turns · 2 files \+12 · \$0\.0\d+ estimated/);
  // Each question is asked once, and shows nothing twice.
  expect(stderr.match(/▲ May it/g)).toHaveLength(2);
  expect(stderr.match(/Write a small greeting program with a test/g)).toHaveLength(1);
  expect(`${stdout}${stderr}`).not.toContain("sha256");
  const run_id = /npx spoor show (run_\w+)/.exec(stdout)?.[1] ?? "";
  expect((await spoor(["show", run_id])).stdout).toMatch(
    /^Did {6}9 calls: .*Run 2 \(1 failed\), .*handbook\/look_up 1/m,
  );
  expect((await spoor(["replay", run_id, "--speed", "0"])).stdout).toMatch(
    /▲ needs you: may a task start\? .*\n +Start a task of kind agent_loop with the MCP server handbook: Write a small/,
  );
  const { stdout: diff } = await spoor(["diff", run_id]);
  expect(diff).toContain("1:-world");
  expect(readFileSync(path.join(workspace, "greet.sh"), "utf8")).toContain("world");
  expect((await spoor(["repair", "--check"])).code).toBe(0);
  expect((await spoor(["revert", run_id])).code).toBe(0);
  expect(existsSync(path.join(workspace, "greet.sh"))).toBe(false);
}, 60_000);

test.each([
  ["deny", 19, "rejected it."],
  ["cancel", 13, "The run was aborted."],
])(
  "spoor demo says how it ended if its first question is answered with %s",
  async (command, code, told) => {
    const { spoor, remove } = createPlace(`demo-${command}`);
    onTestFinished(remove);
    const demo = spoor(["demo", "--ask"]);
    const waits =
      /^▲ \w{4} {2}loop .*\n {2}Start a task of kind agent_loop .*: Write a small greeting program .*\n {2}MCP server/m;
    await vi.waitFor(async () => expect((await spoor(["approvals"])).stdout).toMatch(waits), { timeout: 30_000 });
    expect((await spoor([command, "last"])).code).toBe(0);
    const { code: ended, stdout, stderr } = await demo;
    const workspace = /it works in (\S+)/.exec(stdout)?.[1] ?? "";
    onTestFinished(() => rmSync(workspace, { recursive: true, force: true, maxRetries: 5 }));
    expect(ended).toBe(code);
    expect(stderr).toContain(told);
  },
  60_000,
);

test("spoor demo --json prints the stored events, which keep the contract", async () => {
  const { spoor, remove } = createPlace("demo-json");
  onTestFinished(remove);
  const { code, stdout } = await spoor(["demo", "--json"]);
  expect(code).toBe(0);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Envelope);
  const workspace = String(events[0]?.data.workspace_path);
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true, maxRetries: 5 }));
  const checker = createStreamChecker();
  expect([...events.flatMap((event) => checker.add(event)), ...checker.end()]).toEqual([]);
}, 60_000);

test("the handbook of the demo is an MCP server that refuses what it does not know", () => {
  const ask = (method: string, params = {}) => answerTo(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  expect(ask("initialize")).toMatchObject({ result: { serverInfo: { name: "handbook" } } });
  expect(ask("tools/list")).toMatchObject({ result: { tools: [{ name: "look_up" }] } });
  expect(ask("tools/call", { name: "look_up", arguments: { topic: "tests" } })).toMatchObject({
    result: { isError: false },
  });
  expect(ask("tools/call", { name: "look_up", arguments: { topic: "x" } })).toMatchObject({
    result: { isError: true },
  });
  expect(ask("nothing")).toMatchObject({ error: { code: -32_601 } });
  expect(answerTo("{")).toMatchObject({ error: { code: -32_700 } });
  expect(answerTo('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toBeUndefined();
});
