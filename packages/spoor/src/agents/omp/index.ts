import { acpWires } from "../acp/wires.ts";
import { createAcpDialect } from "../dialects/acp/index.ts";
import { createPiJson, createPiLog, createPiRpc } from "../dialects/pi/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-omp.ts";
import { ompLive } from "./live.ts";
import { mcpName, profile } from "./profile.ts";
import { sessions } from "./sessions.ts";

export const omp: Adapter = {
  name: "omp",
  title: "oh-my-pi",
  about,
  sessions,
  dialects: [
    { ...createPiRpc(profile), live: ompLive },
    createPiJson(profile),
    createAcpDialect({ ...acpWires.omp, mcpTitle: mcpName, login: profile.loginGuidance }),
    createPiLog(profile),
  ],
};
