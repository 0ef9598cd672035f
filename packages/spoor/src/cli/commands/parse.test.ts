import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { run } from "../../../testing/cli/run.ts";

const folder = mkdtempSync(join(tmpdir(), "spoor-parse-"));
afterAll(() => rmSync(folder, { recursive: true }));

const init = { type: "system", subtype: "init", session_id: "s", cwd: "/w", model: "m" };
const said = { type: "assistant", message: { id: "msg_1", content: [{ type: "text", text: "Hi." }] }, session_id: "s" };
const result = { type: "result", subtype: "success", is_error: false, result: "Hi.", session_id: "s" };
const native = [init, said, result].map((frame) => `${JSON.stringify(frame)}\n`).join("");
const typesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).type);

describe("spoor parse", () => {
  it("turns an agent's output into events that spoor check accepts", async () => {
    const { code, stdout } = await run(["parse", "claude"], Readable.from([native]));
    expect(code).toBe(0);
    expect(typesOf(stdout)).toEqual(expect.arrayContaining(["session_start", "text_delta", "session_end"]));
    expect((await run(["check"], Readable.from([stdout]))).code).toBe(0);
  });

  it("leaves out accumulated text unless asked", async () => {
    const { stdout } = await run(["parse", "claude"], Readable.from([native]));
    expect(stdout).not.toContain("accumulated");
    expect((await run(["parse", "claude", "--accumulated"], Readable.from([native]))).stdout).toContain(
      '"accumulated":"Hi."',
    );
  });

  it("takes the exit of the process from the flags or from the .meta.json beside the file", async () => {
    const file = join(folder, "cut.jsonl");
    writeFileSync(file, `${JSON.stringify(init)}\n`);
    expect(typesOf((await run(["parse", "claude", file, "--exit-code", "3"])).stdout)).toContain("crash");
    writeFileSync(join(folder, "cut.meta.json"), JSON.stringify({ exit_code: null, signal: "SIGTERM" }));
    const { stdout } = await run(["parse", "claude", file]);
    expect(stdout).toContain('"exitCode":-1');
  });

  it("gives events for an empty file and for a file that is not output of the agent", async () => {
    for (const text of ["", "segmentation fault\n", "{}\n", "\u0000\u0000"]) {
      const { code, stdout } = await run(["parse", "claude"], Readable.from([text]));
      expect(code).toBe(0);
      expect((await run(["check"], Readable.from([stdout]))).code).toBe(0);
    }
  });

  it.each([
    [["parse", "claude", "no-such-file.jsonl"], "Cannot read no-such-file.jsonl"],
    [["parse", "claude", "--dialect", "latin"], 'claude has no dialect named "latin"'],
    [["parse", "claude", "--exit-code", "much"], "--exit-code takes a whole number."],
  ])("%j exits with 2 and says why", async (argv, message) => {
    const { code, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
