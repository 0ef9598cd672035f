import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import type { AgentAbout } from "../../agents/agent-about.ts";
import { loadPolicy } from "./index.ts";

const agents = path.join(import.meta.dirname, "../../agents");

it("blocks writing every settings file that an adapter knows, also where it does not exist (B3)", async () => {
  const policy = await loadPolicy({
    directory: "/data",
    cwd: "/work",
    home: "/home/me",
    task: ["allow write /**"],
    yolo: true,
  });
  const files = globSync("*/about-*.ts", { cwd: agents }).filter((file) => !file.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(8);
  for (const file of files) {
    const exported: Record<string, AgentAbout> = await import(pathToFileURL(path.join(agents, file)).href);
    for (const about of Object.values(exported)) {
      const settings = about?.settings;
      const places = [...Object.values(settings?.files ?? {}), ...Object.values(settings?.mcp?.files ?? {})];
      for (const { path: place } of places) {
        expect(policy.decide({ subject: "write", paths: [place], cwd: "/work" }), `${file} ${place}`).toMatchObject({
          decision: "block",
          rule: { source: "builtin" },
        });
      }
    }
  }
});
