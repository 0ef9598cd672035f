// Speaks just enough of Claude Code's dialect to say things and to ask for permission. The file that is named by the first argument
// holds steps as JSON: `{ "say": text }`, `{ "ask": tool, "input": … }`, `{ "use": tool, "input": …, "result": text, "details": … }`, which
// goes on for ever without a result, or `{ "wait": ms }`. It ends after five minutes at the latest.
import { readFileSync } from "node:fs";

setTimeout(() => process.kill(process.pid, "SIGKILL"), 300_000).unref();
const steps = JSON.parse(readFileSync(process.argv[2], "utf8"));
const session_id = "5f2c1c1e-0000-4000-8000-000000000009";
const print = (frame) => process.stdout.write(`${JSON.stringify({ ...frame, session_id })}\n`);
const waiting = new Map();
let count = 0;
let messages = 0;
const model = "claude-opus-5-5";
const usage = { input_tokens: 420, cache_read_input_tokens: 1_900, output_tokens: 84 };
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// What it says begins a message. The calls that follow belong to it.
function message(content) {
  if (content.type === "text" || messages === 0) messages += 1;
  count += 1;
  print({ type: "assistant", message: { id: `msg_${messages}`, role: "assistant", model, usage, content: [content] } });
}

async function use(name, input, result, details) {
  const id = `toolu_${count + 1}`;
  message({ type: "tool_use", id, name, input });
  await wait(120);
  if (result === undefined) await new Promise(() => {});
  const content = [{ type: "tool_result", tool_use_id: id, content: result }];
  print({ type: "user", message: { role: "user", content }, tool_use_result: details ?? result });
}

async function ask(tool_name, input) {
  const id = `toolu_${count + 1}`;
  message({ type: "tool_use", id, name: tool_name, input });
  const request = { subtype: "can_use_tool", tool_name, input, tool_use_id: id };
  print({ type: "control_request", request_id: id, request });
  const { behavior } = await new Promise((resolve) => waiting.set(id, resolve));
  const result = {
    type: "tool_result",
    tool_use_id: id,
    content: behavior === "allow" ? "" : behavior,
    is_error: behavior !== "allow",
  };
  print({ type: "user", message: { role: "user", content: [result] } });
}

async function play() {
  print({
    type: "system",
    subtype: "init",
    cwd: process.cwd(),
    tools: [],
    model,
    skills: [],
    plugins: [],
  });
  for (const step of steps) {
    if (step.say !== undefined) message({ type: "text", text: step.say });
    else if (step.wait !== undefined) await wait(step.wait);
    else if (step.use !== undefined) await use(step.use, step.input, step.result, step.details);
    else await ask(step.ask, step.input);
  }
  print({ type: "result", subtype: "success", is_error: false, result: "", total_cost_usd: 0.0098, usage });
}

// Not `readline`, which also ends lines at characters that JSON strings may hold.
let input = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (input + chunk).split("\n");
  input = lines.pop() ?? "";
  for (const line of lines) take(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));

function take(frame) {
  if (frame.type === "control_response") waiting.get(frame.response.request_id)?.(frame.response.response);
  else if (frame.request?.subtype === "initialize") {
    print({ type: "control_response", response: { subtype: "success", request_id: frame.request_id } });
  } else if (frame.type === "user") void play().then(() => process.exit(0));
}
