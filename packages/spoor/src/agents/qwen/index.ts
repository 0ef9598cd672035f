import { acp } from "../dialects/acp/index.ts";
import { acpLive } from "../dialects/acp/live.ts";
import { createStreamJson, type Profile } from "../dialects/claude-stream-json/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about.ts";
import { qwenLive } from "./live.ts";
import { sessions } from "./sessions.ts";

const report =
  /^Command: [\s\S]*?\nOutput: (?<output>[\s\S]*?)\nError: [^\n]*\n(?:[\s\S]*\n)?Exit Code: (?<exit>-?\d+|\(none\))/;

const profile: Profile = {
  tools: {
    agent: "subagent",
    edit: "edit",
    glob: "glob",
    grep_search: "grep",
    notebook_edit: "edit",
    read_file: "file_read",
    run_shell_command: "shell",
    task: "subagent",
    todo_write: "todo_write",
    web_fetch: "web_fetch",
    web_search: "web_search",
    write_file: "file_write",
    zoom_image: "file_read",
  },
  questionTools: ["ask_user_question"],
  skillTools: ["skill"],
  oneMessagePerCall: false,
  inputIncludesCache: true,
  shell: { success: report, failure: report, nothing: "(empty)" },
  created: /^Successfully created/,
  outcomes: [
    [/permission was declined/, "blocked"],
    [/^\[Operation Cancelled\]/, "cancelled"],
  ],
  spokenError: "[API Error: ",
  // A limit ends the process without a result.
  exits: { 53: { type: "turn_limit", maxTurns: 0 }, 55: { type: "timeout", kind: "run" } },
  guidance: "Run `qwen` and choose how to sign in with /auth, or set OPENAI_API_KEY.",
};

export const qwen: Adapter = {
  name: "qwen",
  title: "Qwen Code",
  about,
  sessions,
  dialects: [
    { ...createStreamJson(profile), tokensOnly: true, live: qwenLive },
    { ...acp(), live: acpLive({ command: "qwen", args: ["--acp"], allow: ["QWEN_*", "OPENAI_*"] }) },
  ],
};
