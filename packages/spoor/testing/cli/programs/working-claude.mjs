// Speaks Claude Code's dialect and really changes files. Its prompt is a list of steps as JSON, played in order:
//   { "until": folder } waits until a first snapshot is in this folder, { "sleep": ms }, { "say": text },
//   { "begin": id, "tool": name, "input": {…} } reports a call ("same": in the same message as the last), { "ask": id } asks for permission and waits,
//   { "do": command } runs a shell command here, { "end": id, "result": {…}, "error": text } reports the end of a call,
//   { "stream": id, "tool": name, "input": {…}, "while": command } streams a call and runs a command before it is complete,
//   { "hang": true } never ends.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

// Ends by itself, so that it does not outlive an aborted test for long.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const session_id = "5f2c1c1e-0000-4000-8000-000000000003";
const print = (frame) =>
  process.stdout.write(`${JSON.stringify({ parent_tool_use_id: null, ...frame, session_id, uuid: "u" })}\n`);
const streamed = (event) => print({ type: "stream_event", event });
const waiting = new Map();
const tools = new Map();
let message = 0;

const run = (command) => execFileSync("sh", ["-c", command], { stdio: "ignore" });

function report(id, tool, input, parent = null, isSame = false) {
  tools.set(id, { tool, input });
  if (!isSame) message += 1;
  const content = [{ type: "tool_use", id, name: tool, input }];
  print({
    type: "assistant",
    parent_tool_use_id: parent,
    message: { id: `msg_${message}`, role: "assistant", content },
  });
}

async function ask(id) {
  const { tool: tool_name, input } = tools.get(id);
  const answer = new Promise((resolve) => waiting.set(`ask_${id}`, resolve));
  print({
    type: "control_request",
    request_id: `ask_${id}`,
    request: { subtype: "can_use_tool", tool_name, input, tool_use_id: id },
  });
  return (await answer).behavior === "allow";
}

async function stream(id, tool, input, command) {
  message += 1;
  const block = { type: "tool_use", id, name: tool };
  streamed({ type: "message_start", message: { id: `msg_${message}`, model: "fake", content: [] } });
  streamed({ type: "content_block_start", index: 0, content_block: { ...block, input: {} } });
  await until(command);
  const partial_json = JSON.stringify(input);
  streamed({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json } });
  streamed({ type: "content_block_stop", index: 0 });
  const content = [{ ...block, input }];
  print({ type: "assistant", message: { id: `msg_${message}`, role: "assistant", content } });
  streamed({ type: "message_stop" });
}

/** Waits for the index of a shadow repository, or for as many milliseconds. */
async function until(folder) {
  if (typeof folder === "number") return sleep(folder);
  for (;;) {
    try {
      const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
      if (names.some((name) => /\.git\/index\.[^/]*$/.test(name) && !name.endsWith(".lock"))) return;
    } catch {
      // It does not exist yet.
    }
    await sleep(10);
  }
}

async function play(steps) {
  print({ type: "system", subtype: "init", cwd: process.cwd(), tools: [], model: "fake", skills: [], plugins: [] });
  for (const step of steps) {
    if (step.until) await until(step.until);
    if (step.sleep) await sleep(step.sleep);
    if (step.begin) report(step.begin, step.tool, step.input, step.parent, step.same);
    if (step.ask) await ask(step.ask);
    if (step.stream) await stream(step.stream, step.tool, step.input, step.while);
    if (step.do) run(step.do);
    if (step.end) {
      const block = {
        type: "tool_result",
        tool_use_id: step.end,
        content: step.error ?? "done",
        is_error: !!step.error,
      };
      const more = step.result && { tool_use_result: step.result };
      print({
        type: "user",
        parent_tool_use_id: step.parent ?? null,
        message: { role: "user", content: [block] },
        ...more,
      });
    }
    if (step.hang) return;
  }
  print({ type: "result", subtype: "success", is_error: false, result: "done", total_cost_usd: 0, usage: {} });
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const frame = JSON.parse(line);
  if (frame.type === "control_response") waiting.get(frame.response.request_id)?.(frame.response.response);
  else if (frame.request?.subtype === "initialize") {
    print({ type: "control_response", response: { subtype: "success", request_id: frame.request_id } });
  } else if (frame.type === "control_request") {
    print({ type: "control_response", response: { subtype: "success", request_id: frame.request_id } });
    print({ type: "result", subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" });
  } else if (frame.type === "user") {
    const { content } = frame.message;
    void play(JSON.parse(typeof content === "string" ? content : content.map(({ text = "" }) => text).join("")));
  }
});
