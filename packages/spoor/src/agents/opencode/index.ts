import type { Adapter } from "../machine.ts";
import { about } from "./about-opencode.ts";
import { opencodeAcp } from "./acp/opencode-acp.ts";
import { opencodeAcpLive, opencodeRunLive } from "./opencode-live.ts";
import { sessions } from "./opencode-session-logs.ts";
import { runJson } from "./run-json/opencode-run-json.ts";
import { serverEvents } from "./server-events/opencode-server-events.ts";
import { sessionDocument } from "./session-document/opencode-session-document.ts";

/** Its server is read, not run: it is talked to over HTTP, and its events are another connection. */
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
