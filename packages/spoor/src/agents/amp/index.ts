import { createStreamJson, type Launching, type Profile } from "../dialects/claude-stream-json/index.ts";
import { parseObject } from "../kit/json-values.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-amp.ts";

const profile: Profile = {
  tools: {
    shell: ["Bash"],
    file_read: ["Read"],
    file_write: ["create_file"],
    edit: ["edit_file", "undo_edit"],
    glob: ["glob"],
    grep: ["Grep", "finder"],
    web_fetch: ["read_web_page"],
    web_search: ["web_search"],
    todo_write: ["todo_read", "todo_write"],
    subagent: ["Task", "oracle", "librarian"],
  },
  questionTools: [],
  // It prints whole messages only, each with its usage.
  oneMessagePerCall: false,
  inputIncludesCache: false,
  commandField: "cmd",
  parseCommandResult: parseObject,
  emptyOutput: "",
  outcomes: [[/permission|rejected by/i, "blocked"]],
  guidance: "Run `amp login`, or set AMP_API_KEY.",
};

const launching: Launching = {
  command: "amp",
  resumeCommand: ["threads", "continue"],
  args: ["--execute", "--stream-json", "--stream-json-input"],
  approveArguments: { ask: [], auto: ["--dangerously-allow-all"], deny: [] },
  promptsOnly: true,
  deny: {
    cannot:
      "In this mode Amp does not ask: it runs what its own rules (`amp.permissions`) allow, so it cannot enforce `--approve deny`. Use another agent, or set these rules and `--approve ask`.",
  },
  askWarning: "Amp does not ask in this mode. Its own rules (`amp.permissions`) decide what it may do.",
  allow: ["AMP_*"],
};

/** Its threads and models are on its vendor's servers, so it cannot run against a test server. */
export const amp: Adapter = {
  name: "amp",
  title: "Amp",
  isDocumentedOnly: true,
  about,
  dialects: [{ ...createStreamJson(profile, launching), canAsk: false, tokensOnly: true }],
};
