import { acpLive } from "../dialects/acp/acp-live.ts";
import { acp } from "../dialects/acp/index.ts";
import { commonFlags, createStreamJson, type Launching, type Profile } from "../dialects/claude-stream-json/index.ts";
import type { Adapter, Launch, LaunchRequest } from "../machine.ts";
import { about } from "./about-qwen.ts";
import { sessions } from "./qwen-session-logs.ts";

const commandReport =
  /^Command: [\s\S]*?\nOutput: (?<output>[\s\S]*?)\nError: [^\n]*\n(?:[\s\S]*\n)?Exit Code: (?<exitCode>-?\d+|\(none\))/;

const profile: Profile = {
  tools: {
    shell: ["run_shell_command"],
    file_read: ["read_file", "zoom_image"],
    file_write: ["write_file"],
    edit: ["edit", "notebook_edit"],
    glob: ["glob"],
    grep: ["grep_search"],
    web_fetch: ["web_fetch"],
    web_search: ["web_search"],
    todo_write: ["todo_write"],
    subagent: ["agent", "task"],
  },
  questionTools: ["ask_user_question"],
  oneMessagePerCall: false,
  inputIncludesCache: true,
  parseCommandResult: (text) => commandReport.exec(text)?.groups,
  emptyOutput: "(empty)",
  outcomes: [
    [/permission was declined/, "blocked"],
    [/^\[Operation Cancelled\]/, "cancelled"],
  ],
  // Qwen Code 0.23 reports success for a prompt that was answered with one of these errors.
  messageError: {
    start: "[API Error: ",
    whole:
      /^(?:\[API Error: [\s\S]*\](?:\n[^\n]*Please wait[^\n]*)?|Qwen OAuth (?:quota exceeded:|free tier has been discontinued)[\s\S]*)\s*$/,
  },
  // When a limit is reached, the process exits without a result.
  exitFailures: { 53: { type: "turn_limit", maxTurns: 0 }, 55: { type: "timeout", kind: "run" } },
  guidance: "Run `qwen` and choose how to sign in with /auth, or set OPENAI_API_KEY.",
};

const launching: Launching = {
  command: "qwen",
  args: ["--output-format", "stream-json", "--include-partial-messages", "--input-format", "stream-json"],
  approveArguments: {
    ask: ["--approval-mode", "default"],
    auto: ["--approval-mode", "yolo"],
    // It asks, and Spoor refuses. In plan mode it would ask too, and would tell the model to make a plan.
    deny: ["--approval-mode", "default"],
  },
  deny: { how: "it asks, and Spoor refuses" },
  flags: { ...commonFlags, noSession: "--chat-recording=false", maxTurns: "--max-session-turns" },
  mcp: about.settings?.mcp,
  handshake: true,
  allow: ["QWEN_*", "OPENAI_*", "DASHSCOPE_*"],
};

const overAcp = acpLive({ command: "qwen", args: ["--acp"], allow: ["QWEN_*", "OPENAI_*"] });

/** By default, over ACP, a model decides which actions need no permission. */
const inMode = (launch: Launch, { approve }: LaunchRequest): Launch => ({
  ...launch,
  args: [...launch.args, ...launching.approveArguments[approve]],
});

export const qwen: Adapter = {
  name: "qwen",
  title: "Qwen Code",
  about,
  sessions,
  dialects: [
    { ...createStreamJson(profile, launching), tokensOnly: true },
    { ...acp(), live: { ...overAcp, launch: (request) => inMode(overAcp.launch(request), request) } },
  ],
};
