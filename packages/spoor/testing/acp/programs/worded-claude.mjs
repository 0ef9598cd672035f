// Speaks just enough of Claude Code's dialect for the tests of editors. The prompt is a list of words, of which each does
// something: `ask` asks for permission to run a command, `write` for permission to write `notes.txt`, `question` asks a question,
// `shell` runs a command without asking, `plan` writes a to-do list, `think` thinks, `cost` reports tokens, `servers` names its MCP servers, `crash` ends the
// process with an error, `hang` waits until it is ended; any other word is said. `loud` prints a lot.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

if (process.argv.includes("--version")) {
  console.log("2.1.0 (Claude Code)");
  process.exit(0);
}

// Ends by itself, so that it does not outlive an aborted test for long.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const at = process.argv.indexOf("--resume");
const session_id = at > 0 ? process.argv[at + 1] : crypto.randomUUID();
const print = (frame) => process.stdout.write(`${JSON.stringify({ ...frame, session_id })}\n`);
const waiting = new Map();
let count = 0;
let usage = { input_tokens: 0, output_tokens: 0 };

const message = (content) =>
  print({ type: "assistant", message: { id: `msg_${++count}`, role: "assistant", content: [content], usage } });
const say = (text) => message({ type: "text", text });
const use = (name, input) => {
  const id = `toolu_${++count}`;
  message({ type: "tool_use", id, name, input });
  return id;
};
const returns = (tool_use_id, content, is_error = false) =>
  print({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id, content, is_error }] },
  });

async function request(tool_name, input, act = () => "done") {
  const id = use(tool_name, input);
  print({
    type: "control_request",
    request_id: id,
    request: { subtype: "can_use_tool", tool_name, input, tool_use_id: id },
  });
  const { behavior, message: reason, updatedInput } = await new Promise((resolve) => waiting.set(id, resolve));
  if (behavior !== "allow") {
    returns(id, reason, true);
    return `refused: ${reason}`;
  }
  returns(id, act());
  return Object.values(updatedInput?.answers ?? { _: "allowed" })[0] ?? "";
}

const before = () => (existsSync("notes.txt") ? readFileSync("notes.txt", "utf8") : "");

const acts = {
  ask: () => request("Bash", { command: "rm -rf dist" }),
  write: () => {
    const content = `${before()}another line\n`;
    const input = { file_path: `${process.cwd()}/notes.txt`, content };
    return request("Write", input, () => {
      writeFileSync("notes.txt", content);
      return "written";
    });
  },
  question: () =>
    request("AskUserQuestion", { questions: [{ question: "Which colour?", header: "Colour", options: [] }] }),
  shell: () => {
    returns(use("Bash", { command: "echo hello" }), "hello\n");
    return "Ran it.";
  },
  loud: () => {
    returns(use("Bash", { command: "yes" }), "y\n".repeat(100_000));
    return "That was loud.";
  },
  plan: () => {
    const todos = [
      { content: "Read", status: "completed", activeForm: "Reading" },
      { content: "Write", status: "in_progress", activeForm: "Writing" },
    ];
    returns(use("TodoWrite", { todos }), "ok");
    return "Planned.";
  },
  think: () => {
    message({ type: "thinking", thinking: "Let me see.", signature: "x" });
    return "Thought.";
  },
  cost: () => {
    usage = { input_tokens: 1_200, output_tokens: 34 };
    return "Counted.";
  },
  crash: () => {
    process.stderr.write("it broke\n");
    process.exit(3);
  },
  servers: () => {
    const given = process.argv[process.argv.indexOf("--mcp-config") + 1] ?? "{}";
    const text = existsSync(given) ? readFileSync(given, "utf8") : given;
    return Object.keys(JSON.parse(text).mcpServers ?? {}).join(" ");
  },
  hang: () => new Promise(() => {}),
};

async function play(prompt) {
  print({ type: "system", subtype: "init", cwd: process.cwd(), tools: [], model: "fake", skills: [], plugins: [] });
  // An agent without a session is told what was said before; that is not to be done again.
  const asked = prompt.split("The user says:").at(-1).trim();
  for (const word of asked.split(/\s+/)) {
    const act = Object.hasOwn(acts, word) ? acts[word] : () => `Heard ${word}.`;
    say(await act());
  }
  result();
}

const result = (fields = {}) =>
  print({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "",
    total_cost_usd: usage.input_tokens > 0 ? 0.25 : 0,
    usage,
    ...(usage.input_tokens > 0 && {
      modelUsage: { fake: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens, costUSD: 0.25 } },
    }),
    ...fields,
  });

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
