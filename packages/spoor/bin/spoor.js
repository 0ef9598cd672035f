#!/usr/bin/env node
// This file must parse on Node 12, so that an old Node prints the message below instead of a syntax error: no static
// imports, no top-level await, and nothing newer than ES2019 except import() and import.meta.

const needed = [22, 18];
const found = process.versions.node.split(".").map(Number);

if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  console.error(
    `spoor needs Node ${needed.join(".")} or newer; this is Node ${found.join(".")}.
In a clone of the repository, \`npm start\` sets up the right one. Otherwise install Node 24 LTS, or run
  npx --package node@24 --package spoor spoor ...`,
  );
  process.exitCode = 1;
} else {
  // An unexpected error ends the process with a stack trace.
  void start();
}

// A published package has no src. If there is one, this is a clone, and its source is newer than any build.
async function start() {
  // Node caches compiled code for the next start.
  process.getBuiltinModule("node:module").enableCompileCache();
  const source = new URL("../src/cli/main.ts", import.meta.url);
  const isClone = process.getBuiltinModule("node:fs").existsSync(source);
  if (isClone) resolveOurPackagesToSource();
  const main = await import(isClone ? source.href : new URL("../dist/bundle/main.js", import.meta.url).href);
  await main.runProcess();
}

// Does what `node --conditions=spoor-source` does, but only for our own packages and without starting a second Node.
function resolveOurPackagesToSource() {
  process.getBuiltinModule("node:module").registerHooks({
    resolve(specifier, context, nextResolve) {
      if (!specifier.startsWith("@spoor/")) return nextResolve(specifier, context);
      return nextResolve(
        specifier,
        Object.assign({}, context, { conditions: ["spoor-source", ...context.conditions] }),
      );
    },
  });
}
