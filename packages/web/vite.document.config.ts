import { existsSync } from "node:fs";
import path from "node:path";
import react from "@vitejs/plugin-react";
import { defaultServerConditions, defineConfig, type Plugin } from "vite";

const source = path.join(import.meta.dirname, "src");

/**
 * Parts of the page that need a server, a clock or a script, and what stands in their place in a file. A replacement may
 * itself import what it replaces.
 */
const stills: Readonly<Record<string, string>> = {
  wouter: "wouter.tsx",
  "approvals/use-answer.ts": "use-answer.ts",
  "approvals/who-answered.ts": "who-answered.ts",
  "diff/colours.ts": "diff-colours.ts",
  "diff/use-is-near.ts": "use-is-near.ts",
  "routes.ts": "routes.ts",
  "run/actions/retry-button.tsx": "retry-button.ts",
  "run/actions/retry-from-turn.tsx": "retry-from-turn.ts",
  "run/conversation/cards/card-frame.tsx": "card-frame.tsx",
  "run/conversation/cards/child-now.tsx": "child-now.tsx",
  "run/conversation/cards/lazy-file-change.tsx": "file-change.tsx",
  "run/conversation/cards/shell-output.tsx": "shell-output.tsx",
  "run/conversation/cards/tool-body.tsx": "tool-body.tsx",
  "run/conversation/cards/tool-value.tsx": "tool-value.tsx",
  "run/conversation/rows/approval-row.tsx": "approval-row.tsx",
  "run/conversation/rows/image-row.tsx": "image-row.tsx",
  "run/conversation/rows/opaque-card.tsx": "opaque-card.tsx",
  "run/conversation/rows/question-card.tsx": "question-card.tsx",
  "run/conversation/rows/thought-row.tsx": "thought-row.tsx",
  "run/panel/use-sums.ts": "use-sums.ts",
  "text/code.tsx": "code.tsx",
  "ui/copy.tsx": "copy.ts",
  "ui/time-zone.ts": "time-zone.ts",
  "ui/use-now.ts": "use-now.ts",
};

const replace: Plugin = {
  name: "stills",
  enforce: "pre",
  buildStart() {
    // A part that was renamed would come into the file as it is on the page.
    const gone = Object.keys(stills).filter((part) => part !== "wouter" && !existsSync(path.join(source, part)));
    if (gone.length > 0) this.error(`vite.document.config.ts replaces files that do not exist: ${gone.join(", ")}.`);
  },
  async resolveId(id, importer, options) {
    const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
    const still = stills[id] ?? stills[path.relative(source, resolved?.id ?? "")];
    const file = still && path.join(source, "document/stills", still);
    return file && file !== importer ? file : resolved;
  },
};

/** Builds the program that writes a run as one HTML file, and its style sheet. It runs in Node. */
export default defineConfig({
  plugins: [replace, react()],
  publicDir: false,
  define: { "process.env.NODE_ENV": '"production"' },
  resolve: { conditions: ["spoor-source", ...defaultServerConditions] },
  ssr: { noExternal: true, resolve: { conditions: ["spoor-source", ...defaultServerConditions] } },
  build: {
    ssr: path.join(source, "document/render.tsx"),
    target: "node22",
    minify: true,
    cssMinify: true,
    cssCodeSplit: false,
    ssrEmitAssets: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: { entryFileNames: "render.js", assetFileNames: "style[extname]", codeSplitting: false },
    },
  },
});
