import type { PiProfile } from "../dialects/pi/index.ts";
import { createPiJson, createPiLog, createPiRpc } from "../dialects/pi/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-pi.ts";
import { piLive } from "./pi-live.ts";
import { sessions } from "./pi-session-logs.ts";

/** Pi itself has no permission requests, subagents, plans or MCP; extensions add them. */
const profile: PiProfile = {
  tools: {
    bash: "shell",
    powershell: "shell",
    read: "file_read",
    write: "file_write",
    edit: "edit",
    grep: "grep",
    find: "glob",
    ls: "glob",
    todo: "todo_write",
    subagent: "subagent",
  },
  commandRemarks:
    /(?:^\(no output\)|\n\n\[Showing [^\]\n]*\]|(?:^|\n\n)Command (?:exited with code -?\d+|aborted|timed out after [^\n]*)){1,4}$/,
  loginGuidance: "Run `pi` and use /login, or set the API key of the provider, such as ANTHROPIC_API_KEY.",
};

export const pi: Adapter = {
  name: "pi",
  title: "Pi",
  about,
  sessions,
  dialects: [{ ...createPiRpc(profile), live: piLive }, createPiJson(profile), createPiLog(profile)],
};
