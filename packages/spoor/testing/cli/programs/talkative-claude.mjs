// Speaks Claude Code's dialect and prints the whole prompt: as unknown frames, on standard error, and as text.
import { createInterface } from "node:readline";

// Ends by itself, so that it does not outlive an aborted test for long.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const session_id = "5f2c1c1e-0000-4000-8000-000000000001";
const print = (frame) => process.stdout.write(`${JSON.stringify({ ...frame, session_id })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  if (JSON.parse(line).type !== "user") continue;
  print({ type: "system", subtype: "init", cwd: process.cwd(), tools: [], model: "fake", skills: [], plugins: [] });
  const words = process.env.TALK.split("\n");
  for (const text of words) print({ type: "novelty", part: { text } });
  for (const text of words) process.stderr.write(`${text}\n`);
  const content = [{ type: "text", text: `${words.join(" ")} ${process.env.DB_PASS}` }];
  print({ type: "assistant", message: { id: "msg_1", role: "assistant", content } });
  print({ type: "result", subtype: "success", is_error: false, result: "", total_cost_usd: 0, usage: {} });
  process.exit(0);
}
