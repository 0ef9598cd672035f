import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // Our packages are tested from their sources, never from a build that may be old.
  resolve: { conditions: ["source", ...defaultServerConditions] },
  ssr: { resolve: { conditions: ["source", ...defaultServerConditions] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "{scripts,bench,conformance}/**/*.test.ts"],
    environment: "node",
    setupFiles: ["scripts/vitest-worker.ts"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
