import type { Profile } from "../dialects/claude-stream-json/index.ts";

export const profile: Profile = {
  tools: {
    Agent: "subagent",
    Bash: "shell",
    Edit: "edit",
    Glob: "glob",
    Grep: "grep",
    MultiEdit: "multi_edit",
    NotebookEdit: "edit",
    NotebookRead: "file_read",
    PowerShell: "shell",
    Read: "file_read",
    // `init` calls it so; what the model calls is Agent.
    Task: "subagent",
    TaskCreate: "todo_write",
    TaskUpdate: "todo_write",
    TodoWrite: "todo_write",
    WebFetch: "web_fetch",
    WebSearch: "web_search",
    Write: "file_write",
  },
  questionTools: ["AskUserQuestion"],
  skillTools: ["Skill"],
  oneMessagePerCall: true,
  inputIncludesCache: false,
  shell: {
    failure: /^Exit code (?<exit>-?\d+)\n?(?<output>[\s\S]*)$/,
    nothing: "(Bash completed with no output)",
  },
  created: /^File created/,
  // For versions whose results do not say it in fields.
  outcomes: [
    [/^Permission to use|requested permissions? to|needs approval/, "blocked"],
    [/^The user doesn't want to (proceed|take this action)/, "cancelled"],
    [/^(Exit code \d+\n)?Command timed out/, "timed_out"],
  ],
  guidance: "Run `claude` and log in with /login, or set ANTHROPIC_API_KEY.",
};
