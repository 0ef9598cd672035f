import type { Adapter } from "../machine.ts";
import { about } from "./about-codex.ts";
import { appServer } from "./app-server/codex-app-server.ts";
import { sessions } from "./codex-session-logs.ts";
import { codexLive } from "./driving/codex-driver.ts";
import { execJson } from "./exec-json/codex-exec-json.ts";

export const codex: Adapter = {
  name: "codex",
  title: "Codex",
  about,
  sessions,
  dialects: [
    { ...appServer, tokensOnly: true, live: codexLive },
    { ...execJson, tokensOnly: true },
  ],
};
