// Speaks just enough of Claude Code's dialect to stream one endless text until its parent process is gone. Some pieces end
// in what may be the beginning of a secret, so that redaction holds them back.
import { setImmediate, setTimeout } from "node:timers/promises";

const parent = process.ppid;
const session_id = "5f2c1c1e-0000-4000-8000-000000000003";
const print = (frame) => process.stdout.write(`${JSON.stringify({ ...frame, session_id })}\n`);
const stream = (event) => print({ type: "stream_event", event });

async function play() {
  print({ type: "system", subtype: "init", cwd: process.cwd(), tools: [], model: "fake", skills: [], plugins: [] });
  stream({ type: "message_start", message: { id: "msg_1", model: "fake", content: [] } });
  stream({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  for (let number = 0; process.ppid === parent; number++) {
    const text = number % 5 === 3 ? `${number} sk-ant-api03-` : `${number} `;
    stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
    if (number % 3 === 0) await setTimeout(1);
    else await setImmediate();
  }
  process.exit(1);
}

process.stdin.once("data", play).resume();
