import type { Adapter } from "../machine.ts";
import { about } from "./about.ts";
import { appServer } from "./app-server/index.ts";
import { codexLive } from "./driving/index.ts";
import { execJson } from "./exec-json/index.ts";
import { sessions } from "./sessions.ts";

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
