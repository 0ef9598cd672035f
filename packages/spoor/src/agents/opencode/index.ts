import type { Adapter } from "../machine.ts";
import { about } from "./about.ts";
import { opencodeAcp } from "./acp/index.ts";
import { opencodeAcpLive, opencodeRunLive } from "./live.ts";
import { runJson } from "./run-json/index.ts";
import { serverEvents } from "./server-events/index.ts";
import { sessionDocument } from "./session-document/index.ts";
import { sessions } from "./sessions.ts";

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
