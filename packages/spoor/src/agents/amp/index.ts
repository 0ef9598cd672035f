import { createStreamJson, type Profile } from "../dialects/claude-stream-json/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about.ts";
import { ampLive } from "./live.ts";

const profile: Profile = {
  tools: {
    ...{ Bash: "shell", Read: "file_read", create_file: "file_write", edit_file: "edit", undo_edit: "edit" },
    ...{ glob: "glob", Grep: "grep", finder: "grep", todo_read: "todo_write", todo_write: "todo_write" },
    ...{ read_web_page: "web_fetch", web_search: "web_search" },
    ...{ Task: "subagent", oracle: "subagent", librarian: "subagent" },
  },
  questionTools: [],
  skillTools: ["skill"],
  // It prints whole messages only, each with what it used.
  oneMessagePerCall: false,
  inputIncludesCache: false,
  shell: { failure: /(?!)/, nothing: "", asJson: true, command: "cmd" },
  created: /^(?:Successfully )?[Cc]reated/,
  outcomes: [[/permission|rejected by/i, "blocked"]],
  guidance: "Run `amp login`, or set AMP_API_KEY.",
};

/** Its threads and its models are on its maker's servers, so it runs against nothing else. */
export const amp: Adapter = {
  name: "amp",
  title: "Amp",
  isDocumentedOnly: true,
  about,
  dialects: [{ ...createStreamJson(profile), canAsk: false, tokensOnly: true, live: ampLive }],
};
