import { createStreamJson } from "../dialects/claude-stream-json/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about.ts";
import { claudeLive } from "./live.ts";
import { profile } from "./profile.ts";
import { sessions } from "./sessions.ts";

export const claude: Adapter = {
  name: "claude",
  title: "Claude Code",
  about,
  sessions,
  dialects: [{ ...createStreamJson(profile), live: claudeLive }],
};
