import type { Adapter } from "../machine.ts";
import { appServer } from "./app-server/index.ts";
import { execJson } from "./exec-json.ts";
import { codexLive } from "./live.ts";

export const codex: Adapter = {
  name: "codex",
  title: "Codex",
  dialects: [
    { ...appServer, tokensOnly: true, live: codexLive },
    { ...execJson, tokensOnly: true },
  ],
};
