import { acp } from "../dialects/acp/index.ts";
import { acpLive } from "../dialects/acp/live.ts";
import { commonFlags, createStreamJson, type Launching, type Profile } from "../dialects/claude-stream-json/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about.ts";
import { sessions } from "./sessions.ts";

const report =
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
  report: (text) => report.exec(text)?.groups,
  silent: "(empty)",
  outcomes: [
    [/permission was declined/, "blocked"],
    [/^\[Operation Cancelled\]/, "cancelled"],
  ],
  spokenError: "[API Error: ",
  // A limit ends the process without a result.
  exits: { 53: { type: "turn_limit", maxTurns: 0 }, 55: { type: "timeout", kind: "run" } },
  guidance: "Run `qwen` and choose how to sign in with /auth, or set OPENAI_API_KEY.",
};

const launching: Launching = {
  command: "qwen",
  args: ["--output-format", "stream-json", "--include-partial-messages", "--input-format", "stream-json"],
  approve: {
    ask: ["--approval-mode", "default"],
    auto: ["--approval-mode", "yolo"],
    deny: ["--approval-mode", "plan"],
  },
  flags: { ...commonFlags, noSession: "--chat-recording=false", maxTurns: "--max-session-turns" },
  mcp: about.settings?.mcp,
  handshake: true,
  allow: ["QWEN_*", "OPENAI_*", "DASHSCOPE_*"],
};

export const qwen: Adapter = {
  name: "qwen",
  title: "Qwen Code",
  about,
  sessions,
  dialects: [
    { ...createStreamJson(profile, launching), tokensOnly: true },
    { ...acp(), live: acpLive({ command: "qwen", args: ["--acp"], allow: ["QWEN_*", "OPENAI_*"] }) },
  ],
};
