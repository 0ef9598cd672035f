import { createStreamJson } from "../dialects/claude-stream-json/index.ts";
import type { Adapter } from "../machine.ts";
import { claudeLive } from "./live.ts";
import { profile } from "./profile.ts";

export const claude: Adapter = {
  name: "claude",
  title: "Claude Code",
  dialects: [{ ...createStreamJson(profile), live: claudeLive }],
};
