// Speaks Claude Code's dialect. Its prompt is a list of steps as JSON, played in order:
//   { "gate": name } makes the file at-<name> in the folder of gates and waits for go-<name>,
//   { "begin": id, "tool": name, "input": {…} } reports a call, { "ask": id } asks for permission and skips to the end of the call
//   if it is refused, { "append": line, "to": file } and { "write": text, "to": file } change a file, { "end": id } ends the call.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

// Ends by itself, so that it does not outlive an aborted test for long.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const [gates] = process.argv.slice(2);
const session_id = "5f2c1c1e-0000-4000-8000-000000000004";
const print = (frame) =>
  process.stdout.write(`${JSON.stringify({ parent_tool_use_id: null, ...frame, session_id, uuid: "u" })}\n`);
const waiting = new Map();
const tools = new Map();
let message = 0;
let isAborted = false;

const acts = {
  async gate(name) {
    writeFileSync(join(gates, `at-${name}`), "");
    while (!existsSync(join(gates, `go-${name}`)) && !isAborted) await sleep(10);
  },
  begin(id, { tool, input }) {
    tools.set(id, { tool, input });
    message += 1;
    const content = [{ type: "tool_use", id, name: tool, input }];
    print({ type: "assistant", message: { id: `msg_${message}`, role: "assistant", content } });
  },
  async ask(id) {
    const { tool: tool_name, input } = tools.get(id);
    const answer = new Promise((resolve) => waiting.set(`ask_${id}`, resolve));
    const request = { subtype: "can_use_tool", tool_name, input, tool_use_id: id };
    print({ type: "control_request", request_id: `ask_${id}`, request });
    return (await answer).behavior === "allow" ? undefined : id;
  },
  append: (line, { to }) => appendFileSync(to, `${line}\n`),
  write: (text, { to }) => writeFileSync(to, text),
  end(id) {
    const block = { type: "tool_result", tool_use_id: id, content: "done", is_error: false };
    print({ type: "user", message: { role: "user", content: [block] } });
  },
};

async function play(steps) {
  print({ type: "system", subtype: "init", cwd: process.cwd(), tools: [], model: "fake", skills: [], plugins: [] });
  let skipsTo;
  for (const step of steps) {
    if (isAborted) return;
    if (skipsTo !== undefined && step.end !== skipsTo) continue;
    skipsTo = undefined;
    const name = Object.keys(acts).find((each) => each in step);
    const refused = await acts[name](step[name], step);
    if (name === "ask") skipsTo = refused;
  }
  print({ type: "result", subtype: "success", is_error: false, result: "done", total_cost_usd: 0, usage: {} });
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const frame = JSON.parse(line);
    const done = { subtype: "success", request_id: frame.request_id };
    if (frame.type === "control_response") waiting.get(frame.response.request_id)?.(frame.response.response);
    else if (frame.request?.subtype === "initialize") print({ type: "control_response", response: done });
    else if (frame.type === "control_request") {
      isAborted = true;
      print({ type: "control_response", response: done });
      print({
        type: "result",
        subtype: "error_during_execution",
        is_error: true,
        terminal_reason: "aborted_streaming",
      });
    } else if (frame.type === "user") {
      const { content } = frame.message;
      void play(JSON.parse(typeof content === "string" ? content : content.map(({ text = "" }) => text).join("")));
    }
  })
  .on("close", () => process.exit(0));
