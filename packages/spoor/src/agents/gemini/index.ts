import { acpLive } from "../dialects/acp/acp-live.ts";
import { acp } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-gemini.ts";
import { login } from "./gemini-failures.ts";
import { geminiLive } from "./gemini-live.ts";
import { createRetryReader } from "./gemini-retries.ts";
import { sessions } from "./gemini-session-logs.ts";
import { streamJson } from "./gemini-stream-json.ts";
import { toolKinds } from "./gemini-tools.ts";

export const gemini: Adapter = {
  name: "gemini",
  title: "Gemini CLI",
  about,
  sessions,
  dialects: [
    { ...streamJson, tokensOnly: true, live: geminiLive },
    {
      ...acp({
        tools: toolKinds,
        // Ids are `name__name_time_index`; the index numbers the calls of one model call.
        nameInId: /^(.+?)__/,
        sameModelCallId: /_[1-9]\d*$/,
        mcpTitle: /^(?<tool>\S+) \((?<server>.+) MCP Server\)$/,
        commandInTitle: true,
        wholeThoughts: true,
        noise: /^\[MODE_UPDATE\] /,
        cancelled: /^Command cancelled by user\.(?:\s*Output before cancellation:\n(?<output>[\s\S]*))?/,
        createRetryReader,
        login,
      }),
      live: acpLive({
        command: "gemini",
        args: ["--acp"],
        allow: ["GEMINI_*", "GOOGLE_*", "CLOUD_*"],
        unsupported: ["fork"],
      }),
    },
  ],
};
