import type { Adapter } from "../machine.ts";
import { about } from "./about-opencode.ts";
import { opencodeAcp } from "./acp/opencode-acp.ts";
import { opencodeAcpLive, opencodeRunLive } from "./opencode-live.ts";
import { sessions } from "./opencode-session-logs.ts";
import { runJson } from "./run-json/opencode-run-json.ts";
import { serverEvents } from "./server-events/opencode-server-events.ts";
import { sessionDocument } from "./session-document/opencode-session-document.ts";

/** Its server can be read but not run: it is controlled over HTTP, and its events come over another connection. */
export const opencode: Adapter = {
  name: "opencode",
  title: "OpenCode",
  about,
  sessions,
  dialects: [
    { ...opencodeAcp, live: opencodeAcpLive },
    { ...runJson, live: opencodeRunLive },
    serverEvents,
    sessionDocument,
  ],
};
