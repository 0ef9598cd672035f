import { createAcpDialect } from "../dialects/acp/index.ts";
import { createPiJson, createPiLog, createPiRpc } from "../dialects/pi/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-omp.ts";
import { ompLive } from "./omp-live.ts";
import { mcpName, profile } from "./omp-profile.ts";
import { sessions } from "./omp-session-logs.ts";

export const omp: Adapter = {
  name: "omp",
  title: "oh-my-pi",
  about,
  sessions,
  dialects: [
    { ...createPiRpc(profile), live: ompLive },
    createPiJson(profile),
    createAcpDialect({
      launch: { command: "omp", args: ["acp"], allow: ["OMP_*", "PI_*"], hostsActions: true },
      mcpTitle: mcpName,
      login: profile.loginGuidance,
    }),
    createPiLog(profile),
  ],
};
