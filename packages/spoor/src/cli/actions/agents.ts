import { adapters } from "../../agents/registry.ts";
import { type Detected, detect } from "../../mux/detect.ts";
import type { Io } from "../io.ts";
import { table } from "../table.ts";

export async function listAgents({ json }: { json?: true }, io: Io): Promise<void> {
  const found = await Promise.all(adapters.map((adapter) => detect(adapter)));
  io.stdout.write(
    json ? `${JSON.stringify(found, null, 2)}\n` : table([["AGENT", "INSTALLED", "WIRES"], ...found.map(row)]),
  );
}

/** `*` marks a wire an agent can be run on; the others are only read. */
function row({ agent, path, version, wires }: Detected): string[] {
  const installed = path === undefined ? "–" : (version ?? "yes");
  return [agent, installed, wires.map(({ name, runs }) => (runs ? `${name}*` : name)).join(", ")];
}
