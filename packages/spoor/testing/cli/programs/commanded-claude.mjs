// Speaks just enough of Claude Code's dialect to be told what to do from elsewhere. The prompt is a list of words: `ask`
// (or `Remove`) asks for permission, `question` asks a question, `hang` waits until it is ended, `half` does so amid a
// sentence; any other word is said. It starts two processes, of which one leaves its process group, and writes the ids of
// all three to the file `pids` in its folder.
import { spawn } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

// Ends by itself, so that it does not outlive an aborted test for long.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const session_id = "5f2c1c1e-0000-4000-8000-000000000007";
const print = (frame) => process.stdout.write(`${JSON.stringify({ ...frame, session_id })}\n`);
const waiting = new Map();
let count = 0;

const message = (content) =>
  print({ type: "assistant", message: { id: `msg_${++count}`, role: "assistant", content: [content] } });
const stream = (event) => print({ type: "stream_event", event, parent_tool_use_id: null });
const say = (text) => message({ type: "text", text });

const child = spawn("sh", ["-c", "sleep 120 & wait"], { stdio: "ignore" });
const runaway = spawn("sleep", ["120"], { stdio: "ignore", detached: true });
writeFileSync("pids.new", JSON.stringify([process.pid, child.pid, runaway.pid]));
renameSync("pids.new", "pids");

async function request(tool_name, input) {
  const id = `toolu_${++count}`;
  message({ type: "tool_use", id, name: tool_name, input });
  print({
    type: "control_request",
    request_id: id,
    request: { subtype: "can_use_tool", tool_name, input, tool_use_id: id },
  });
  const { behavior, message: reason, updatedInput } = await new Promise((resolve) => waiting.set(id, resolve));
  const isAllowed = behavior === "allow";
  const result = { type: "tool_result", tool_use_id: id, content: isAllowed ? "done" : reason, is_error: !isAllowed };
  print({ type: "user", message: { role: "user", content: [result] } });
  return isAllowed ? (Object.values(updatedInput?.answers ?? { _: "allowed" })[0] ?? "") : `refused: ${reason}`;
}

const acts = {
  ask: () => request("Bash", { command: "rm -rf dist" }),
  question: () =>
    request("AskUserQuestion", { questions: [{ question: "Which colour?", header: "Colour", options: [] }] }),
  hang: () => new Promise(() => {}),
  half: () => {
    stream({ type: "message_start", message: { id: `msg_${++count}`, role: "assistant", content: [] } });
    stream({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
    stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "This sentence is" } });
    return acts.hang();
  },
  Remove: () => acts.ask(),
};

async function play(prompt) {
  print({ type: "system", subtype: "init", cwd: process.cwd(), tools: [], model: "fake", skills: [], plugins: [] });
  for (const word of prompt.split(" ")) say(await (acts[word] ?? (() => `Heard ${word}.`))());
  result();
}

const result = (fields = {}) =>
  print({ type: "result", subtype: "success", is_error: false, result: "", total_cost_usd: 0, usage: {}, ...fields });

const lines = createInterface({ input: process.stdin });
let work = Promise.resolve();
lines.on("line", (line) => {
  const frame = JSON.parse(line);
  if (frame.type === "control_response") waiting.get(frame.response.request_id)?.(frame.response.response);
  else if (frame.request?.subtype === "initialize") {
    print({ type: "control_response", response: { subtype: "success", request_id: frame.request_id } });
  } else if (frame.type === "control_request") {
    result({ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" });
  } else work = work.then(() => play(frame.message.content.at(-1).text));
});
lines.on("close", () => process.exit(0));
