// Speaks just enough of Claude Code's dialect for tests of the command line. The prompt chooses what it does.
import { createInterface } from "node:readline";

// Ends by itself, so that it does not outlive an aborted test for long.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const session_id = "5f2c1c1e-0000-4000-8000-000000000001";
const print = (frame) => process.stdout.write(`${JSON.stringify({ ...frame, session_id })}\n`);
const waiting = new Map();
let asked = 0;
let message = 0;

const say = (text) => {
  message += 1;
  print({ type: "assistant", message: { id: `msg_${message}`, role: "assistant", content: [{ type: "text", text }] } });
};
const result = (fields = {}) =>
  print({ type: "result", subtype: "success", is_error: false, result: "", total_cost_usd: 0, usage: {}, ...fields });

async function play(prompt) {
  print({ type: "system", subtype: "init", cwd: process.cwd(), tools: [], model: "fake", skills: [], plugins: [] });
  if (prompt.includes("hang")) {
    say("Waiting.");
    return;
  }
  if (prompt.includes("argv")) say(process.argv.slice(2).join(" "));
  else if (prompt.startsWith("echo ")) await runCommand(prompt);
  else if (prompt.includes("run")) await runCommand("rm -rf dist");
  else if (prompt.startsWith("variables ")) say(prompt.split(" ").slice(1).map(variable).join("\n"));
  else if (prompt.includes("escape")) say("\u001b[2Jgone\u202e");
  else say(`You said: ${prompt}`);
  const [, costUSD] = /costs ([\d.]+)/.exec(prompt) ?? [];
  result(costUSD && { modelUsage: { fake: { inputTokens: 1, outputTokens: 1, costUSD: Number(costUSD) } } });
}

const variable = (name) => `${name}=${process.env[name] ?? "(absent)"}`;

async function runCommand(command) {
  const id = `toolu_${++asked}`;
  message += 1;
  const input = { command };
  const content = [{ type: "tool_use", id, name: "Bash", input }];
  print({ type: "assistant", message: { id: `msg_${message}`, role: "assistant", content } });
  const request = { subtype: "can_use_tool", tool_name: "Bash", input, tool_use_id: id };
  print({ type: "control_request", request_id: `ask_${asked}`, request });
  const { behavior, message: reason } = await new Promise((resolve) => waiting.set(`ask_${asked}`, resolve));
  const allowed = behavior === "allow";
  const block = { type: "tool_result", tool_use_id: id, content: allowed ? "done" : reason, is_error: !allowed };
  print({ type: "user", message: { role: "user", content: [block] }, tool_use_result: { stdout: "done", stderr: "" } });
  say(allowed ? "It is gone." : "I left it.");
}

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
lines.on("close", () => work.then(() => process.exit(0)));
