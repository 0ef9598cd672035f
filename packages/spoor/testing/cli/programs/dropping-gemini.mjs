// Speaks Gemini's dialect and, like Gemini, drops output when its pipe is full, but exits with 0. The prompt is JSON:
// { "messages": how many it prints, "go": a file it waits for after the first, "done": a file it writes at its end }.
import { existsSync, writeFileSync, writeSync } from "node:fs";

const { messages, go, done } = JSON.parse(process.argv.at(-1));
setTimeout(() => process.exit(1), 60_000).unref();
process.stdout.isTTY; // Opening the stream makes the pipe non-blocking.
let lost = 0;
const print = (frame) => {
  try {
    writeSync(1, `${JSON.stringify({ timestamp: new Date().toISOString(), ...frame })}\n`);
  } catch {
    lost += 1;
  }
};
const say = (n) => print({ type: "message", role: "assistant", content: `${n} ${"x".repeat(1000)}\n`, delta: true });

print({ type: "init", session_id: "5f2c1c1e-0000-4000-8000-000000000003", model: "hasty" });
print({ type: "message", role: "user", content: "Count." });
say(0);
while (!existsSync(go)) await new Promise((resolve) => setTimeout(resolve, 5));
for (let n = 1; n < messages; n += 1) say(n);
print({ type: "result", status: "success", stats: { total_tokens: 2, input_tokens: 1, output_tokens: 1 } });
writeFileSync(done, `${lost}`);
