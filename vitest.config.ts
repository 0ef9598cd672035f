import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // Our packages are tested from their sources, never from a build that may be old.
  resolve: { conditions: ["spoor-source", ...defaultServerConditions] },
  ssr: { resolve: { conditions: ["spoor-source", ...defaultServerConditions] } },
  test: {
    include: ["packages/*/{src,testing}/**/*.test.{ts,tsx}", "{scripts,bench,campaigns,conformance}/**/*.test.ts"],
    environment: "node",
    // What a developer keeps in ~/.spoor is none of the tests' business, nor theirs of that.
    env: { SPOOR_HOME: path.join(tmpdir(), `spoor-test-home-${process.pid}`) },
    setupFiles: ["scripts/vitest-worker.ts"],
    globalSetup: ["scripts/vitest-home.ts", "scripts/vitest-processes.ts"],
    // Many tests wait for processes that they started, so two files at once pay off on two cores, too.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // These limits only notice what hangs, so they are many times as long as the work, also on a slow and busy machine.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
