import { acpWires } from "../acp/wires.ts";
import { createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-hermes.ts";
import { hermesLive } from "./live.ts";
import { login, streamJson } from "./stream-json.ts";

export const hermes: Adapter = {
  name: "hermes",
  title: "Hermes",
  isDocumentedOnly: true,
  about,
  dialects: [{ ...streamJson, live: hermesLive }, createAcpDialect({ ...acpWires.hermes, login })],
};
