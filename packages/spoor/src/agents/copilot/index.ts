import { createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-copilot.ts";
import { sessions } from "./copilot-session-logs.ts";
import { promptJson } from "./prompt-json/copilot-prompt-json.ts";
import { copilotLive } from "./server/copilot-live.ts";
import { server } from "./server/copilot-server.ts";
import { login } from "./session/copilot-failures.ts";

export const copilot: Adapter = {
  name: "copilot",
  title: "GitHub Copilot CLI",
  about,
  sessions,
  dialects: [
    { ...server, tokensOnly: true, live: copilotLive },
    createAcpDialect({
      login,
      launch: { command: "copilot", args: ["--acp"], allow: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"] },
      // It reports retries, refusals and failures as if the model said them.
      noise: /^Info: /,
      messageError: /^Error: /,
    }),
    promptJson,
  ],
};
