import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";

/** The modules that importing a file loads, without Node's own. */
const loadedBy = (file: string): string[] => loadedWith(`await import(${JSON.stringify(pathToFileURL(file))})`);

/** The modules that a program loads, without Node's own. */
function loadedWith(program: string): string[] {
  const note = `import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      "--conditions=spoor-source",
      "--import",
      `data:text/javascript,${encodeURIComponent(note)}`,
      "--input-type=module",
      "--eval",
      program,
    ],
    { encoding: "utf8", cwd: import.meta.dirname },
  );
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.split("\n").filter((url) => url.startsWith("file:"));
}

const isHeavy = (url: string) => /\/@sinclair\/typebox\/|\/protocol\/(src|dist)\/index\./.test(url);

// Fewer modules make the server start faster: 67 when this was written, 418 with the schemas and the whole protocol.
test.for(["server.ts", "../cli/actions/serve.ts"])("%s loads neither schemas nor the whole protocol", (file) => {
  const loaded = loadedBy(`${import.meta.dirname}/${file}`);
  expect(loaded.filter(isHeavy)).toEqual([]);
  expect(loaded.filter((url) => url.endsWith("/server/server.ts"))).toHaveLength(1);
});

/** The modules that a server has loaded when it has answered and has looked at its empty log and queue. */
function loadedByServing(): string[] {
  const directory = mkdtempSync(path.join(tmpdir(), "spoor-lazy-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const program = `const { serve } = await import(${JSON.stringify(pathToFileURL(`${import.meta.dirname}/serving/serve.ts`))});
    const server = await serve({ directory: ${JSON.stringify(directory)}, port: 0, workers: 2 });
    await (await fetch(server.url + "/healthz")).text();
    // The upkeep of the log does its first round meanwhile; closing waits for it.
    await server.close();`;
  return loadedWith(program);
}

/** What is loaded with the first WebSocket, the first look at the page, the first run, the first lost run, or the first workspace. */
const LATER =
  /\/node_modules\/ws\/|\/server\/page\/(?!page-path)|\/runtime\/(changes|projections|workspace\/(?!places))|\/queue\/(opening|perform)|\/kill-marked|\/mapping\/(?!write)/;

test("a server without work loads nothing of what performs runs, of WebSockets, of the page and of the mapping", () => {
  const loaded = loadedByServing();
  expect(loaded.filter((url) => isHeavy(url) || LATER.test(url))).toEqual([]);
  expect(loaded.filter((url) => url.endsWith("/runtime/queue/worker.ts"))).toHaveLength(1);
});

// A server loads these after it listens, but before it is of use.
test.for(["worker.ts", "executors.ts"])("the queue's %s loads neither schemas nor the whole protocol", (file) => {
  expect(loadedBy(`${import.meta.dirname}/../runtime/queue/${file}`).filter(isHeavy)).toEqual([]);
});

test("the test detects a module that loads them", () => {
  expect(loadedBy(`${import.meta.dirname}/routes/openapi.ts`).some(isHeavy)).toBe(true);
});
