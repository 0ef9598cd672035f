import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { metrics } from "../packages/spoor/src/translators/otel/measures.ts";
import { bin } from "../packages/spoor/testing/cli/process.ts";
import { startCollector } from "../packages/spoor/testing/otel/collector.ts";

const page = readFileSync(new URL("../docs/opentelemetry.md", import.meta.url), "utf8");

it("docs/opentelemetry.md shows commands after which a trace and metrics arrive", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-otlp-docs-"));
  const collector = await startCollector();
  onTestFinished(async () => {
    await collector.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  writeFileSync(path.join(folder, "spoor"), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 });
  const [, block = ""] = /^```sh\n(.*?)^```/ms.exec(page) ?? [];
  expect(block).toContain("http://localhost:4318");
  const script = block.replace("http://localhost:4318", collector.url);
  const env = { PATH: `${folder}:${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder, TMPDIR: folder };
  const { stderr } = await promisify(execFile)("sh", ["-ec", script], { cwd: folder, env });
  expect(stderr).not.toContain("export");
  expect(collector.problems).toEqual([]);
  const roots = [...collector.traces().values()].map(([root]) => root?.name);
  // The demo's agent starts a subagent, which has a trace of its own.
  expect(roots).toEqual(["invoke_agent loop", "invoke_agent loop"]);
  expect(collector.total("spoor.runs")).toBe(2);
});

it("docs/opentelemetry.md names every metric", () => {
  const named = [...page.matchAll(/^\| `((?:gen_ai|spoor)\.[\w.]+)`/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(metrics).sort());
});
