import { createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-hermes.ts";
import { hermesLive } from "./hermes-live.ts";
import { login, streamJson } from "./hermes-stream-json.ts";

export const hermes: Adapter = {
  name: "hermes",
  title: "Hermes",
  isDocumentedOnly: true,
  about,
  dialects: [
    { ...streamJson, live: hermesLive },
    createAcpDialect({
      login,
      launch: { command: "hermes", args: ["acp"], allow: ["HERMES_*"], hostsActions: true },
      nameInTitle: /^(\w+): /,
      inventedCallId: /^perm-check-/,
      tools: {
        delegate_task: "subagent",
        execute_code: "shell",
        patch: "edit",
        process: "shell",
        read_file: "file_read",
        search_files: "grep",
        terminal: "shell",
        todo: "todo_write",
        write_file: "file_write",
      },
    }),
  ],
};
