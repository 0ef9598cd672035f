import type { PiProfile } from "../dialects/pi/index.ts";

/** If a server's name contains an underscore, the split between server and tool is wrong. */
export const mcpName = /^mcp__(?<server>[^_]+)_+(?<tool>.+)$/;

export const profile: PiProfile = {
  tools: {
    ...{ bash: "shell", edit: "edit", ast_edit: "edit", read: "file_read", write: "file_write" },
    ...{ glob: "glob", find: "glob", grep: "grep", search: "grep", ast_grep: "grep", web_search: "web_search" },
    ...{ task: "subagent", todo: "todo_write" },
  },
  mcpName,
  commandRemarks:
    /(?:^\(no output\)|\n\n(?:Wall time: |Backgrounded )[^\n]*|(?:^|\n\n)Command (?:exited with code -?\d+|aborted|timed out after [^\n]*)){1,4}$/,
  loginGuidance: "Run `omp` and use /login, or set the API key of the provider, such as ANTHROPIC_API_KEY.",
};
