// A fake agent for measurements that speaks Claude Code's dialect. `fake-claude.mjs <megabytes> <seconds>` answers one
// prompt with that much output, in pieces of forty lines spread over that time. As in real work, most of the output is
// files: each model call streams a message in two hundred deltas, then a file in eight hundred.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

const [megabytes = 0, seconds = 0] = process.argv.slice(2, 4).map(Number);
const session_id = "5f2c1c1e-0000-4000-8000-000000000002";
const line = (/** @type {object} */ frame) =>
  `${JSON.stringify({ ...frame, session_id, parent_tool_use_id: null, uuid: "a980f5ec-6e8b-451e-ba77-b5b7bc67a62d" })}\n`;
const streamed = (/** @type {object} */ event) => line({ type: "stream_event", event });
const deltas = (/** @type {number} */ count, /** @type {number} */ index, /** @type {object} */ delta) =>
  streamed({ type: "content_block_delta", index, delta }).repeat(count) +
  streamed({ type: "content_block_stop", index });

function modelCall(/** @type {number} */ n) {
  const id = `msg_${n}`;
  const tool = { type: "tool_use", id: `toolu_${n}`, name: "Write" };
  const file = { file_path: "/tmp/report.md", content: "piece ".repeat(800) };
  const whole = (/** @type {object} */ block) =>
    line({ type: "assistant", message: { id, model: "fake", content: [block] } });
  const result = { type: "tool_result", tool_use_id: tool.id, content: "File created successfully" };
  return [
    streamed({ type: "message_start", message: { id, model: "fake", content: [] } }),
    streamed({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    deltas(200, 0, { type: "text_delta", text: "piece " }),
    whole({ type: "text", text: "piece ".repeat(200) }),
    streamed({ type: "content_block_start", index: 1, content_block: { ...tool, input: {} } }),
    deltas(800, 1, { type: "input_json_delta", partial_json: "piece " }),
    whole({ ...tool, input: file }),
    streamed({ type: "message_stop" }),
    line({ type: "user", message: { role: "user", content: [result] } }),
  ].join("");
}

async function answer() {
  const calls = Math.max(1, Math.round((megabytes * 1e6) / modelCall(0).length));
  process.stdout.write(line({ type: "system", subtype: "init", cwd: process.cwd(), tools: [], model: "fake" }));
  for (let n = 0; n < calls; n++) {
    const pieces = seconds > 0 ? (modelCall(n).match(/(?:.*\n){1,40}/g) ?? []) : [modelCall(n)];
    for (const piece of pieces) {
      if (!process.stdout.write(piece)) await once(process.stdout, "drain");
      if (seconds > 0) await sleep((seconds * 1000) / calls / pieces.length);
    }
  }
  process.stdout.write(line({ type: "result", subtype: "success", is_error: false, result: "", total_cost_usd: 0 }));
}

process.stdin.once("data", answer).resume();
