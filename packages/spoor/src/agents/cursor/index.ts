import { acpWires } from "../acp/wires.ts";
import { createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";
import { about } from "./about-cursor.ts";
import { cursorLive } from "./live.ts";
import { login, streamJson } from "./stream-json.ts";

/** It talks to its maker's service only, so it runs against nothing else. */
export const cursor: Adapter = {
  name: "cursor",
  title: "Cursor CLI",
  isDocumentedOnly: true,
  about,
  dialects: [{ ...streamJson, live: cursorLive }, createAcpDialect({ ...acpWires.cursor, login })],
};
