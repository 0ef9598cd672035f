import type { Adapter } from "../machine.ts";
import { about } from "./about.ts";
import { opencodeAcp } from "./acp.ts";
import { opencodeAcpLive, opencodeRunLive } from "./live.ts";
import { runJson } from "./run-json.ts";
import { serverEvents } from "./server-events.ts";
import { sessionDocument } from "./session-document.ts";

/** Its server is read, not run: it is talked to over HTTP, and its events are another connection. */
export const opencode: Adapter = {
  name: "opencode",
  title: "OpenCode",
  about,
  dialects: [
    { ...opencodeAcp, live: opencodeAcpLive },
    { ...runJson, live: opencodeRunLive },
    serverEvents,
    sessionDocument,
  ],
};
