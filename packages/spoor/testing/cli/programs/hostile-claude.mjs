// Speaks Claude Code's dialect and does what a hostile or broken agent might do. The prompt is JSON: { "do": [[name, …values], …] }.
// It ends after a minute at the latest, whatever happens to the program that started it.
import { spawn } from "node:child_process";
import { closeSync, existsSync, writeFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

setTimeout(() => process.kill(process.pid, "SIGKILL"), 60_000).unref();
const session_id = "5f2c1c1e-0000-4000-8000-000000000002";
let message = 0;

/** Blocks until the reader has taken everything, so that only the reader can run out of memory. */
function write(fd, bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
const line = (text, fd = 1) => write(fd, Buffer.from(`${text}\n`));
const print = (frame) => line(JSON.stringify({ ...frame, session_id }));
const say = (text) => {
  message += 1;
  print({ type: "assistant", message: { id: `msg_${message}`, role: "assistant", content: [{ type: "text", text }] } });
};
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const child = (script, options = {}) =>
  spawn(process.execPath, ["-e", `setTimeout(() => process.exit(), 60_000); ${script}`], {
    stdio: "ignore",
    ...options,
  });

let calls = 0;
const tricks = {
  say,
  /** Calls a tool, and gets its result, at once or when a file exists. */
  async call(name, input, result, { until, isError = false } = {}) {
    calls += 1;
    message += 1;
    const id = `toolu_${calls}`;
    const content = [{ type: "tool_use", id, name, input }];
    print({ type: "assistant", message: { id: `msg_${message}`, role: "assistant", model: "hostile", content } });
    while (until && !existsSync(until)) await pause(20);
    const answer = [{ type: "tool_result", tool_use_id: id, content: result, is_error: isError }];
    print({ type: "user", message: { role: "user", content: answer } });
  },
  kill: () => process.kill(process.pid, "SIGKILL"),
  /** Prints one line of this many megabytes, as JSON or not. */
  longLine(megabytes, isJson = true, fd = 1) {
    const part = Buffer.alloc(1024 * 1024, "y");
    if (isJson) write(fd, Buffer.from('{"type":"assistant","message":{"id":"long","content":[{"type":"text","text":"'));
    for (let n = 0; n < megabytes; n += 1) write(fd, part);
    line(isJson ? `"}]},"session_id":"${session_id}"}` : "", fd);
  },
  /** Prints this many megabytes of ordinary text events. */
  flood(megabytes) {
    for (let n = 0; n < megabytes * 16; n += 1) say("z".repeat(64 * 1024));
  },
  async endless() {
    for (;;) {
      say("e".repeat(16 * 1024));
      await pause(0);
    }
  },
  garbage(kilobytes, seed) {
    const bytes = Buffer.alloc(kilobytes * 1024);
    let state = seed;
    for (let n = 0; n < bytes.length; n += 1) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      bytes[n] = state >>> 24;
    }
    write(1, bytes);
    write(2, bytes);
    line("");
  },
  halfLine: () => write(1, Buffer.from('{"type":"assistant","message":{"id":"half","content":[{"type":"te')),
  bomb: (depth, open = '{"a":', close = "}") =>
    line(
      `{"type":"assistant","message":{"id":"bomb","content":[{"type":"text","text":"x","more":${open.repeat(depth)}1${close.repeat(depth)}}]}}`,
    ),
  ignore() {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE"]) process.on(signal, () => {});
  },
  /** Starts a child in the same process group, and one that leaves group and session and loses its parent. */
  children(file) {
    const own = child("process.on('SIGTERM', () => {})");
    const left = child("process.on('SIGTERM', () => {})", { detached: true });
    for (const each of [own, left]) each.unref();
    writeFileSync(file, `${own.pid}\n${left.pid}\n`, { flag: "a" });
  },
  orphan(file) {
    const script = `const c = require("child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setTimeout(() => {}, 60000)"], { detached: true, stdio: "ignore" }); require("fs").writeFileSync(${JSON.stringify(file)}, c.pid + "\\n", { flag: "a" }); process.exit();`;
    return new Promise((resolve) => child(script, { detached: true }).on("exit", resolve));
  },
  closeOutput() {
    closeSync(1);
  },
  /** Leaves a child that writes to the pipe after this process has ended. */
  writer() {
    const script = "setInterval(() => process.stdout.write('late\\n'), 10)";
    child(script, { stdio: ["ignore", 1, "ignore"] }).unref();
  },
  pid: (file) => writeFileSync(file, `${process.pid}\n`, { flag: "a" }),
  exit: (code) => process.exit(code),
  pause,
  hang: () => pause(60_000),
};

const lines = createInterface({ input: process.stdin });
let work = Promise.resolve();
let isStubborn = false;
lines.on("line", (text) => {
  const frame = JSON.parse(text);
  if (frame.type !== "user") return;
  work = work.then(async () => {
    print({
      type: "system",
      subtype: "init",
      cwd: process.cwd(),
      tools: [],
      model: "hostile",
      claude_code_version: "9.9.9\u001b[2J",
      skills: [],
      plugins: [],
    });
    for (const [name, ...values] of JSON.parse(frame.message.content.at(-1).text).do) {
      isStubborn ||= name === "ignore";
      await tricks[name](...values);
    }
    print({ type: "result", subtype: "success", is_error: false, result: "", total_cost_usd: 0, usage: {} });
  });
});
lines.on("close", () => work.then(() => isStubborn || process.exit(0)));
