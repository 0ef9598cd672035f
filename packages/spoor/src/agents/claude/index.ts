import { commonFlags, createStreamJson, type Launching, type Profile } from "../dialects/claude-stream-json/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-claude.ts";
import { sessions } from "./claude-session-logs.ts";

const profile: Profile = {
  tools: {
    shell: ["Bash", "PowerShell"],
    file_read: ["Read", "NotebookRead"],
    file_write: ["Write"],
    edit: ["Edit", "NotebookEdit"],
    multi_edit: ["MultiEdit"],
    glob: ["Glob"],
    grep: ["Grep"],
    web_fetch: ["WebFetch"],
    web_search: ["WebSearch"],
    todo_write: ["TodoWrite", "TaskCreate", "TaskUpdate"],
    // `init` lists the tool as Task; the model calls it Agent.
    subagent: ["Agent", "Task"],
  },
  questionTools: ["AskUserQuestion"],
  oneMessagePerCall: true,
  inputIncludesCache: false,
  parseCommandResult: (text, failed) =>
    failed ? /^Exit code (?<exitCode>-?\d+)\n?(?<output>[\s\S]*)$/.exec(text)?.groups : undefined,
  emptyOutput: "(Bash completed with no output)",
  // For versions whose results lack fields for the outcome.
  outcomes: [
    [/^Permission to use|requested permissions? to|needs approval/, "blocked"],
    [/^The user doesn't want to (proceed|take this action)/, "cancelled"],
    [/^(Exit code \d+\n)?Command timed out/, "timed_out"],
  ],
  messageError: {
    start: "API Error",
    whole:
      /^(?:API Error(?:: \d{3}\b[\s\S]*|: (?:Connection error|Request timed out)\.?|: Request was aborted\.?)|(?:Invalid API key|Not logged in) · [^\n]*|Credit balance is too low|Prompt is too long|Claude AI usage limit reached\|\d+)\s*$/,
  },
  guidance: "Run `claude` and log in with /login, or set ANTHROPIC_API_KEY.",
};

const launching: Launching = {
  command: "claude",
  args: [
    ...["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    ...["--input-format", "stream-json"],
  ],
  approveArguments: {
    ask: ["--permission-prompt-tool", "stdio"],
    auto: ["--dangerously-skip-permissions"],
    deny: ["--permission-mode", "dontAsk"],
  },
  deny: { how: "`--permission-mode dontAsk`: it refuses what it would ask" },
  flags: { ...commonFlags, noSession: "--no-session-persistence", maxTurns: "--max-turns", thinkingEffort: "--effort" },
  maxOutputTokensVariable: "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
  mcp: about.settings?.mcp,
  attachments: ["images", "documents"],
  refuses: {
    thinkingBudgetTokens:
      "Claude's models choose their own thinking budget. Use thinkingEffort to ask for more or less thinking.",
  },
  allow: ["ANTHROPIC_*", "CLAUDE_*", "AWS_*", "GOOGLE_*", "CLOUD_ML_REGION", "DISABLE_*", "IS_SANDBOX"],
};

export const claude: Adapter = {
  name: "claude",
  title: "Claude Code",
  about,
  sessions,
  dialects: [createStreamJson(profile, launching)],
};
