// Speaks just enough of Claude Code's dialect to print many messages, wait until a file exists, and print some more. With
// `lingers` it waits when it is done; with `speaks` it never stops printing.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setImmediate, setTimeout } from "node:timers/promises";

// Ends by itself, so that it does not outlive an aborted test for long.
globalThis.setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const [gate, count, how] = process.argv.slice(2);
const parent = process.ppid;
const session_id = "5f2c1c1e-0000-4000-8000-000000000002";
const print = (frame) => process.stdout.write(`${JSON.stringify({ ...frame, session_id })}\n`);
const say = (id, text) =>
  print({ type: "assistant", message: { id, role: "assistant", content: [{ type: "text", text }] } });

async function play() {
  print({ type: "system", subtype: "init", cwd: process.cwd(), tools: [], model: "fake", skills: [], plugins: [] });
  for (let number = 0; number < Number(count); number++) {
    say(`msg_${number}`, `Word ${number}.`);
    await setImmediate();
  }
  if (how !== "lingers") await opened();
  say("msg_last", "The end.");
  print({ type: "result", subtype: "success", is_error: false, result: "", total_cost_usd: 0, usage: {} });
  await opened();
}

async function opened() {
  for (let number = 0; !existsSync(gate); number++) {
    // The parent process was killed.
    if (process.ppid !== parent) process.exit(1);
    if (how === "speaks") say(`msg_again_${number}`, "Again.");
    await setTimeout(10);
  }
}

const lines = createInterface({ input: process.stdin });
let work = Promise.resolve();
lines.on("line", (line) => {
  if (JSON.parse(line).type === "user") work = work.then(play);
});
lines.on("close", () => work.then(() => process.exit(0)));
