import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { program } from "../../testing/process/program.ts";
import { nextLine, play, start } from "../../testing/process/start.ts";
import { frameText } from "./content-length.ts";
import { type ProcessOptions, spawnProcess } from "./spawn.ts";

describe("output", () => {
  it("is delivered line by line from both pipes in the order of arrival, with the time", async () => {
    let clock = 0;
    const now = () => {
      clock += 1;
      return clock;
    };
    const handle = start("echo", [], { now });
    const entries = [];
    for (const line of ["one", "err two", "three", "err four"]) {
      await handle.write(`${line}\n`);
      entries.push((await handle.output.next()).value);
    }
    handle.endInput();
    entries.push(...(await play(handle)).entries);
    expect(entries.map((entry) => `${entry?.source}: ${entry?.line}`)).toEqual([
      "stdout: one",
      "stderr: err two",
      "stdout: three",
      "stderr: err four",
      "stdout: end of input",
    ]);
    expect(entries.map((entry) => entry?.at)).toEqual(entries.map((entry) => entry?.at).sort((a = 0, b = 0) => a - b));
  });

  it("keeps control characters in lines and replaces invalid UTF-8", async () => {
    const { stdout } = await play(start("odd-bytes"));
    expect(stdout).toEqual(["crlf", "nul\0", "ls\u2028ls", "cr\rcr", "\ufffd\ufffd", ""]);
  });

  it("contains the unfinished last line of a process that died", async () => {
    const { stdout, end } = await play(start("half-line"));
    expect({ stdout, end }).toEqual({ stdout: ["whole", '{"half":'], end: { code: 3, signal: null } });
  });

  it("is complete when a process exits right after a burst", async () => {
    const { stdout, end } = await play(start("flood", ["1", "20000", "100", "7"]));
    expect(stdout.length).toBe(20_000);
    expect(end.code).toBe(7);
  });

  it("reads much standard error while standard output is idle", async () => {
    const { stdout, stderr } = await play(start("flood", ["2", "50000", "100"]));
    expect({ stdout: stdout.length, stderr: stderr.length }).toEqual({ stdout: 0, stderr: 50_000 });
  });

  it("contains a line of 30 MB in one piece", async () => {
    const { stdout } = await play(start("long-line", ["30000000"]));
    expect(stdout.map((line) => line.length)).toEqual([30_000_000, 3]);
  });

  it("contains a line above the limit in pieces", async () => {
    const { entries } = await play(start("long-line", ["2500000"], { maxLineBytes: 1_000_000 }));
    expect(entries.map(({ line, continues }) => [line.length, continues ?? false])).toEqual([
      [1_000_000, true],
      [1_000_000, true],
      [500_000, false],
      [3, false],
    ]);
  });

  it("can be read after the process has exited", async () => {
    const handle = start("flood", ["1", "1000", "100"]);
    await handle.exited;
    expect((await play(handle)).stdout.length).toBe(1000);
  });

  it("is complete for a reader that pauses while the process exits with a full buffer", async () => {
    const handle = start("flood", ["1", "60000", "1"], { maxBufferedBytes: 1000, lingerMs: 50 });
    await handle.exited;
    expect((await play(handle)).stdout.length).toBe(60_000);
  });

  it("does not block the process after the reader has left", async () => {
    const handle = start("flood", ["1", "200000", "100"]);
    for await (const { line } of handle.output) {
      expect(line.length).toBe(99);
      break;
    }
    expect(await handle.exited).toEqual({ code: 0, signal: null });
  });

  it("can be read as framed messages", async () => {
    const script = `process.stdout.write("noise\\n" + ${JSON.stringify(frameText("{\n}") + frameText("[]"))})`;
    const { entries } = await play(spawn({ args: ["-e", script], framing: "content-length" }));
    expect(entries.map(({ line, stray }) => [line, stray ?? false])).toEqual([
      ["noise", true],
      ["{\n}", false],
      ["[]", false],
    ]);
  });

  it("cuts a frame above the limit into pieces, and the process can still end", async () => {
    const script = `process.stdout.write("Content-Length: 5000\\r\\n\\r\\n" + "x".repeat(5000))`;
    const handle = spawn({ args: ["-e", script], framing: "content-length", maxLineBytes: 1000 });
    const { entries, end } = await play(handle);
    expect(entries.map(({ line }) => line.length)).toEqual([1000, 1000, 1000, 1000, 1000]);
    expect(entries.map(({ continues }) => continues ?? false)).toEqual([true, true, true, true, false]);
    expect(end.code).toBe(0);
  });
});

describe("input", () => {
  it("arrives completely and in order without being awaited", async () => {
    const handle = start("echo");
    const lines = Array.from({ length: 500 }, (_, n) => `${n} ${"x".repeat(500)}`);
    const written = Promise.all(lines.map((line) => handle.write(`${line}\n`)));
    handle.endInput();
    expect((await play(handle)).stdout).toEqual([...lines, "end of input"]);
    expect(new Set(await written)).toEqual(new Set([true]));
  });

  it("of 20 MB is accepted as fast as the process reads it", async () => {
    const handle = start("count-input");
    for (let n = 0; n < 20; n += 1) expect(await handle.write("é".repeat(500_000))).toBe(true);
    handle.endInput();
    expect((await play(handle)).stdout).toEqual(["20000000"]);
  });

  it("waits while the process does not read, and resolves to false when it never will", async () => {
    const handle = start("silent");
    let isTaken: boolean | undefined;
    const written = handle.write("x".repeat(5_000_000)).then((taken) => {
      isTaken = taken;
    });
    await nextTurns();
    expect(isTaken).toBeUndefined();
    handle.kill();
    await handle.exited;
    await written;
    expect(isTaken).toBe(false);
    expect(await handle.write("more")).toBe(false);
    handle.endInput();
  });

  it("is rejected for a process started without input", async () => {
    const handle = start("echo", [], { stdin: "ignore" });
    await expect(handle.write("x")).rejects.toThrow(/stdin: "pipe"/);
    expect((await play(handle)).stdout).toEqual(["end of input"]);
  });
});

it("a process receives the given environment, arguments and directory, and no other variable", async () => {
  const place = realpathSync(tmpdir());
  const options = { env: { ONLY: "this" }, cwd: place };
  const { stdout } = await play(start("environment", ["a b", "", "$HOME", "é\n"], options));
  const { env, cwd, args } = JSON.parse(stdout[0] ?? "");
  // macOS adds this variable to every process.
  delete env.__CF_USER_TEXT_ENCODING;
  expect({ env, cwd, args }).toEqual({ env: { ONLY: "this" }, cwd: place, args: ["a b", "", "$HOME", "é\n"] });
});

describe("a program that cannot be started", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-spawn-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const put = (name: string, text: string, mode: number): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  };
  const plain = put("plain", "text", 0o644);
  const orphan = put("orphan", "#!/no/such/interpreter\n", 0o755);

  it.for<[string, Partial<ProcessOptions>, RegExp]>([
    ["a name that is not on PATH", { command: "no-such-agent" }, /"no-such-agent": no program .* on PATH\. Install it/],
    ["an empty name", { command: "" }, /is empty/],
    ["a path to nothing", { command: "./nothing" }, /there is no file ".*\/nothing"/],
    ["a path through a file", { command: `${plain}/agent` }, /there is no file/],
    ["a directory", { command: folder }, /is a directory/],
    ["a file that is not executable", { command: plain }, /not executable. Make it executable with chmod/],
    ["a script without its interpreter", { command: orphan }, /interpreter named in its first line/],
    ["a working directory that is not there", { cwd: "/no/such/place" }, /"\/no\/such\/place" does not exist/],
    ["a working directory that is a file", { cwd: plain }, /is not a directory/],
    ["too many arguments", { args: ["x".repeat(3_000_000)] }, /standard input/],
    ["an argument with NUL", { args: ["a\0b"] }, /without null bytes/],
  ])("reports %s and what to do", async ([, options, sentence]) => {
    const handle = spawn({ cwd: folder, ...options });
    const { end, entries } = await play(handle);
    expect(end).toMatchObject({ code: null, signal: null });
    expect(end.error?.message).toMatch(sentence);
    expect(entries).toEqual([]);
    expect(handle.pid).toBeUndefined();
    expect(await handle.write("x")).toBe(false);
    expect([handle.interrupt(), handle.terminate(), handle.kill(), handle.pause(), handle.resume()]).not.toContain(
      true,
    );
  });
});

it("a program that drops output under backpressure exits even when nobody reads", async () => {
  const handle = start("flood", ["1", "50000", "100", "0"], { maxBufferedBytes: Number.POSITIVE_INFINITY });
  expect((await handle.exited).code).toBe(0);
  expect((await play(handle)).stdout.length).toBe(50_000);
});

it("a slow reader blocks the writer instead of filling memory", async () => {
  const reader = spawn({
    args: [path.join(import.meta.dirname, "../../testing/process/slow-reader.ts"), "200000", "1000"],
  });
  const { bytes, grown, end } = JSON.parse((await nextLine(reader)) ?? "");
  expect({ bytes, end }).toEqual({ bytes: 200_000_000, end: { code: 0, signal: null } });
  expect(grown).toBeLessThan(100_000_000);
});

function spawn(options: Partial<ProcessOptions>) {
  return spawnProcess({
    command: process.execPath,
    env: {},
    cwd: path.dirname(program("any")),
    stdin: "pipe",
    ...options,
  });
}

async function nextTurns(): Promise<void> {
  for (let n = 0; n < 50; n += 1) await new Promise((resolve) => setImmediate(resolve));
}
