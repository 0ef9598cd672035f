import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

/** The modules that importing a file loads, without Node's own. */
function loadedBy(file: string): string[] {
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
      `await import(${JSON.stringify(pathToFileURL(file))})`,
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

// A server loads these after it listens, but before it is of use.
test.for(["worker.ts", "executors.ts"])("the queue's %s loads neither schemas nor the whole protocol", (file) => {
  expect(loadedBy(`${import.meta.dirname}/../runtime/queue/${file}`).filter(isHeavy)).toEqual([]);
});

test("the test detects a module that loads them", () => {
  expect(loadedBy(`${import.meta.dirname}/routes/openapi.ts`).some(isHeavy)).toBe(true);
});
