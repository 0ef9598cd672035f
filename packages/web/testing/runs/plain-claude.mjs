// Speaks just enough of Claude Code's dialect to be started from the page. A prompt that ends with `run: COMMAND` makes it
// ask for permission to run that command; to any other it only answers.
// Ends by itself, so that it does not outlive an aborted test for long.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const session_id = "5f2c1c1e-0000-4000-8000-000000000002";
const print = (frame) => process.stdout.write(`${JSON.stringify({ ...frame, session_id })}\n`);
const message = (content) =>
  print({
    type: "assistant",
    message: { id: "msg_1", role: "assistant", model: "claude-opus-5-5", content: [content] },
  });
let answered = () => {};

async function play(prompt) {
  print({ type: "system", subtype: "init", cwd: process.cwd(), tools: [], model: "claude-opus-5-5" });
  const [, command] = /run: (.*)$/s.exec(prompt) ?? [];
  if (command !== undefined) {
    const input = { command };
    message({ type: "tool_use", id: "toolu_1", name: "Bash", input });
    const request = { subtype: "can_use_tool", tool_name: "Bash", input, tool_use_id: "toolu_1" };
    print({ type: "control_request", request_id: "ask_1", request });
    await new Promise((resolve) => {
      answered = resolve;
    });
    const result = { type: "tool_result", tool_use_id: "toolu_1", content: "done" };
    print({ type: "user", message: { role: "user", content: [result] } });
  }
  message({ type: "text", text: "I looked at everything." });
  const result = "I looked at everything.";
  print({ type: "result", subtype: "success", is_error: false, result, total_cost_usd: 0.0098, usage: {} });
}

let input = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (input + chunk).split("\n");
  input = lines.pop() ?? "";
  for (const line of lines) take(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));

function take(frame) {
  if (frame.type === "control_response") answered();
  else if (frame.request?.subtype === "initialize") {
    print({ type: "control_response", response: { subtype: "success", request_id: frame.request_id } });
  } else if (frame.type === "user") {
    const { content } = frame.message;
    const prompt = typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
    void play(prompt).then(() => process.exit(0));
  }
}
