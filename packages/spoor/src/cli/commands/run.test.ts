import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { createStreamChecker } from "@spoor/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { run } from "../testing/run.ts";

const program = fileURLToPath(new URL("../testing/programs/fake-claude.mjs", import.meta.url));
const command = ["--command", `"${process.execPath}" "${program}"`];
const folder = mkdtempSync(join(tmpdir(), "spoor-run-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("spoor run", () => {
  it("shows what the agent says", async () => {
    const { code, stdout, stderr } = await run(["run", "claude", "hello", ...command]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "You said: hello\n", stderr: "" });
  });

  it("reads the prompt from standard input", async () => {
    const { stdout } = await run(["run", "claude", "-", ...command], Readable.from(["from a pipe"]));
    expect(stdout).toBe("You said: from a pipe\n");
  });

  it("prints AgentEvents that keep the contract and nothing else with --json, and the result into a file", async () => {
    const file = join(folder, "result.json");
    const { code, stdout } = await run(["run", "claude", "hello", "--json", "--result", file, ...command]);
    const checker = createStreamChecker();
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([...events.flatMap((event) => checker.add(event)), ...checker.end()]).toEqual([]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ exitReason: "completed", text: "You said: hello" });
    expect(code).toBe(0);
  });

  it("refuses what needs permission when nobody can be asked, and says so", async () => {
    const { code, stdout } = await run(["run", "claude", "run it", ...command]);
    expect(stdout).toContain("● Bash rm -rf dist");
    expect(stdout).toContain("refused: Nobody is there to ask.");
    expect(stdout).toContain("I left it.");
    expect(code).toBe(0);
  });

  it("passes on model, session, turns and mode in the agent's own words", async () => {
    const options = ["--model", "opus", "--resume", "abc", "--max-turns", "3", "--approve", "deny"];
    const { stdout } = await run(["run", "claude", "argv", ...options, ...command]);
    for (const words of ["--model opus", "--resume abc", "--max-turns 3", "--permission-mode dontAsk"]) {
      expect(stdout).toContain(words);
    }
  });

  it("does not let the agent's words take effect in the terminal", async () => {
    const { stdout } = await run(["run", "claude", "escape", ...command]);
    expect(stdout).toBe("\\u001b[2Jgone\\u202e\n");
  });

  it.each([
    [["run", "nobody", "x"], 3, 'No adapter named "nobody"'],
    [["run", "claude", " "], 2, "The prompt is empty."],
    [["run", "claude", "x", "--command", "no-such-program"], 12, "no-such-program"],
    [["run", "claude", "x", "--max-turns", "none"], 2, "--max-turns takes a whole number"],
    [["run", "claude", "x", "--approve", "maybe"], 2, "maybe"],
    [["run", "claude", "x", "--dialect", "latin", ...command], 4, "latin"],
  ])("%j exits with %i and says why", async (argv, expected, message) => {
    const { code, stderr } = await run(argv);
    expect(code).toBe(expected);
    expect(stderr).toContain(message);
  });

  it("ends with a code of its own when time is up", async () => {
    expect((await run(["run", "claude", "hang", "--timeout", "1", ...command])).code).toBe(11);
  });

  it("interrupts the agent at Ctrl-C", async () => {
    const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
    const child = spawn(process.execPath, [bin, "run", "claude", "hang", ...command], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    expect(code).toBe(130);
  });
});
