import { createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-cursor.ts";
import { cursorLive } from "./cursor-live.ts";
import { login, streamJson } from "./cursor-stream-json.ts";

/** It uses only its vendor's service, so it cannot run against a test server. */
export const cursor: Adapter = {
  name: "cursor",
  title: "Cursor CLI",
  isDocumentedOnly: true,
  about,
  dialects: [
    { ...streamJson, live: cursorLive },
    createAcpDialect({
      login,
      launch: {
        ...{ command: "cursor-agent", args: ["acp"], allow: ["CURSOR_*"] },
        authenticate: "cursor_login",
        // It waits for a result of these requests, and hangs if it receives an error instead.
        replies: {
          "cursor/ask_question": { outcome: "cancelled" },
          "cursor/create_plan": { outcome: "accepted" },
          "cursor/update_todos": {},
          "cursor/task": {},
          "cursor/generate_image": {},
        },
      },
      commandInTitle: true,
    }),
  ],
};
