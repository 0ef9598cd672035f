import { existsSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { privateHome } from "../../../../testing/run/private-home.ts";
import { claude } from "../../../agents/claude/index.ts";
import { codex } from "../../../agents/codex/index.ts";
import { copilot } from "../../../agents/copilot/index.ts";
import { gemini } from "../../../agents/gemini/index.ts";
import type { Adapter } from "../../../agents/machine.ts";
import { omp } from "../../../agents/omp/index.ts";
import { openclaw } from "../../../agents/openclaw/index.ts";
import { opencode } from "../../../agents/opencode/index.ts";
import { pi } from "../../../agents/pi/index.ts";
import { qwen } from "../../../agents/qwen/index.ts";
import { locate } from "../../locate.ts";
import { leaveDatabase } from "./leave-database.ts";

const fixtures = fileURLToPath(new URL("../../../../fixtures/", import.meta.url));

/** The agents whose sessions we have, written by themselves. */
export const keepers: readonly Adapter[] = [claude, codex, copilot, gemini, omp, openclaw, opencode, pi, qwen];

/** A home in which these agents have held the sessions of the fixtures. */
export function homeWithSessions(agents: readonly Adapter[] = keepers) {
  const home = privateHome();
  for (const { name, about } of agents) {
    const folder = path.join(fixtures, name, "sessions");
    if (!about?.sessions || !existsSync(folder)) throw new Error(`There are no sessions of ${name}.`);
    const root = path.relative(home.home, locate(about.sessions, home));
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
      if (file.endsWith(".sql")) {
        const below = path.join(root, file.replace(/\.sql$/, ""));
        const to = path.extname(root) === "" ? below : root;
        // OpenCode leaves most of what it wrote in the log, also when it has ended.
        leaveDatabase(home.at(to), readFileSync(path.join(folder, file), "utf8"), { withLog: name === "opencode" });
      }
      if (!file.endsWith(".session")) continue;
      // Under its own name it would be taken for a recording.
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
