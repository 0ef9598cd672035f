import { existsSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { claude } from "../../src/agents/claude/index.ts";
import { codex } from "../../src/agents/codex/index.ts";
import { copilot } from "../../src/agents/copilot/index.ts";
import { gemini } from "../../src/agents/gemini/index.ts";
import type { Adapter } from "../../src/agents/machine.ts";
import { omp } from "../../src/agents/omp/index.ts";
import { openclaw } from "../../src/agents/openclaw/index.ts";
import { opencode } from "../../src/agents/opencode/index.ts";
import { pi } from "../../src/agents/pi/index.ts";
import { qwen } from "../../src/agents/qwen/index.ts";
import { locate } from "../../src/inventory/locate.ts";
import { privateHome } from "../run/private-home.ts";
import { leaveDatabase } from "./leave-database.ts";

const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));

/** The agents for which the fixtures contain sessions that the agents wrote themselves. */
export const agentsWithSessions: readonly Adapter[] = [
  claude,
  codex,
  copilot,
  gemini,
  omp,
  openclaw,
  opencode,
  pi,
  qwen,
];

/** Creates a home folder that contains the fixture sessions of these agents. */
export function homeWithSessions(agents: readonly Adapter[] = agentsWithSessions) {
  const home = privateHome();
  for (const { name, about } of agents) {
    const folder = path.join(fixtures, name, "sessions");
    if (!about?.sessions || !existsSync(folder)) throw new Error(`The fixtures contain no sessions of ${name}.`);
    const root = path.relative(home.home, locate(about.sessions, home));
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
      if (file.endsWith(".sql")) {
        const below = path.join(root, file.replace(/\.sql$/, ""));
        const to = path.extname(root) === "" ? below : root;
        // OpenCode leaves most of its data in the write-ahead log, even after it has exited.
        leaveDatabase(home.at(to), readFileSync(path.join(folder, file), "utf8"), { withLog: name === "opencode" });
      }
      if (!file.endsWith(".session")) continue;
      // The fixtures end in .session, because the tests would take .jsonl files for recordings.
      const to = path.join(root, file.replace(/\.session$/, ".jsonl"));
      const text = readFileSync(path.join(folder, file), "utf8");
      home.write(to, text);
      const last = new Date(
        text
          .match(/20\d\d-[\d-]+T[\d:.]+Z/g)
          ?.sort()
          .at(-1) ?? 0,
      );
      utimesSync(home.at(to), last, last);
    }
  }
  return home;
}
