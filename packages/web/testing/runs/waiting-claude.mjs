// Speaks just enough of Claude Code's dialect to ask for permission. Its argument lists what it does:
// { say }, { read: path }, { wrote: path }, { ask: { tool, input } }. It asks the user if the tool is AskUserQuestion.
import { createInterface } from "node:readline";

// Ends by itself, so that it does not outlive an aborted test for long.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const steps = JSON.parse(process.argv[2] ?? "[]");
const session_id = "5f2c1c1e-0000-4000-8000-000000000001";
const print = (frame) => process.stdout.write(`${JSON.stringify({ ...frame, session_id })}\n`);
const waiting = new Map();
let count = 0;

const assistant = (content) =>
  print({ type: "assistant", message: { id: `msg_${++count}`, role: "assistant", model: "claude-opus-5-5", content } });
const result = (id, content, is_error = false) =>
  print({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error }] },
  });

async function call(name, input, isAsked) {
  const id = `toolu_${++count}`;
  assistant([{ type: "tool_use", id, name, input }]);
  if (isAsked) {
    const request_id = `ask_${count}`;
    print({
      type: "control_request",
      request_id,
      request: { subtype: "can_use_tool", tool_name: name, input, tool_use_id: id },
    });
    const { behavior, message } = await new Promise((resolve) => waiting.set(request_id, resolve));
    if (behavior !== "allow") {
      result(id, message, true);
      return;
    }
  }
  result(id, "done");
}

async function play() {
  print({
    type: "system",
    subtype: "init",
    cwd: process.cwd(),
    tools: [],
    model: "claude-opus-5-5",
    skills: [],
    plugins: [],
  });
  for (const { say, read, wrote, ask } of steps) {
    if (say) assistant([{ type: "text", text: say }]);
    if (read) await call("Read", { file_path: read });
    if (wrote) await call("Write", { file_path: wrote, content: "Notes of an earlier run.\n" });
    if (ask) await call(ask.tool, ask.input, true);
  }
  assistant([{ type: "text", text: "That is all." }]);
  end({ subtype: "success", is_error: false, result: "That is all." });
}

const end = (how) =>
  print({ type: "result", total_cost_usd: 0.0098, usage: { input_tokens: 2940, output_tokens: 294 }, ...how });

let work = Promise.resolve();
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const frame = JSON.parse(line);
  if (frame.type === "control_response") waiting.get(frame.response.request_id)?.(frame.response.response);
  else if (frame.request?.subtype === "initialize")
    print({ type: "control_response", response: { subtype: "success", request_id: frame.request_id } });
  else if (frame.type === "control_request") end({ subtype: "error_during_execution", is_error: true });
  else work = work.then(play);
});
lines.on("close", () => work.then(() => process.exit(0)));
