#!/usr/bin/env node
// Kept readable for Nodes as old as 12, which must get a sentence here and not a syntax error: no static imports,
// no top-level await, nothing newer than ES2019 but import() and import.meta.

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
  // A failure nobody foresaw ends the process by itself, with a stack trace.
  void start();
}

// A published package has no src; where there is one, this is a clone, and its source is newer than any build.
async function start() {
  // What was compiled once is kept by Node for the next start.
  process.getBuiltinModule("node:module").enableCompileCache();
  const source = new URL("../src/cli/main.ts", import.meta.url);
  const isClone = process.getBuiltinModule("node:fs").existsSync(source);
  if (isClone) resolveOurPackagesToSource();
  const main = await import(isClone ? source.href : new URL("../dist/bundle/main.js", import.meta.url).href);
  await main.runProcess();
}

// What `node --conditions=source` does, but for our own packages only and without starting Node a second time.
function resolveOurPackagesToSource() {
  process.getBuiltinModule("node:module").registerHooks({
    resolve(specifier, context, nextResolve) {
      if (!specifier.startsWith("@spoor/")) return nextResolve(specifier, context);
      return nextResolve(specifier, Object.assign({}, context, { conditions: ["source", ...context.conditions] }));
    },
  });
}
