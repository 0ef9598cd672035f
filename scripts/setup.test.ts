import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

const workingNpm = `rm -rf node_modules && mkdir -p node_modules/.bin && ln -s "${process.execPath}" node_modules/.bin/node`;
let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-setup-")));
  const folder = root;
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["setup.mjs", "setup"]) {
    cpSync(path.join(import.meta.dirname, name), path.join(root, "scripts", name), { recursive: true });
  }
  write("package.json", `{ "name": "root", "scripts": {} }`);
  write("package-lock.json", "{}");
  write("packages/one/package.json", `{ "name": "one", "dependencies": {} }`);
  fakeNpm(workingNpm);
});

describe("installing", () => {
  test("a fresh clone is installed once, with its development packages, and the reason is given", async () => {
    const first = await setup(["true"]);
    expect(first).toMatchObject({ code: 0, stdout: "" });
    expect(first.stderr).toBe('Installing packages with "npm ci", since node_modules is missing.\nnpm says hello\n');
    expect(await setup(["true"])).toMatchObject({ code: 0, stderr: "" });
    expect(npmCalls()).toEqual([expect.stringMatching(/^ci --include=dev /)]);
  });

  test.for([
    [
      "the lock file changed",
      () => appendFileSync(inRoot("package-lock.json"), " "),
      /package-lock.json .* has changed/,
    ],
    [
      "a package's dependencies changed",
      () => write("packages/one/package.json", `{ "name": "one", "dependencies": { "two": "1" } }`),
      /a package.json has changed/,
    ],
    ["a package was added", () => write("packages/two/package.json", "{}"), /a package.json has changed/],
    ["the last install broke off", () => rmSync(inRoot("node_modules/.setup-stamp")), /not to its end/],
    ["the pinned Node is gone", () => rmSync(inRoot("node_modules/.bin/node")), /the pinned Node .* is missing/],
    ["the pinned Node is broken", () => breakNode(), /the pinned Node .* does not start/],
  ] as const)("when %s it installs again", async ([, change, reason]) => {
    await setup();
    change();
    const again = await setup();
    expect(again.code).toBe(0);
    expect(again.stderr).toMatch(reason);
    expect(npmCalls()).toHaveLength(2);
  });

  test("a new script in a package.json causes no new installation", async () => {
    await setup();
    write("package.json", `{ "name": "root", "scripts": { "new": "true" } }`);
    await setup();
    expect(npmCalls()).toHaveLength(1);
  });

  test("npm does not inherit the settings of a surrounding npm command", async () => {
    fakeNpm(`${workingNpm}; env | grep ^npm_config_ >&2`);
    const env = { npm_config_omit: "dev", npm_config_workspace: "one", npm_config_registry: "kept" };
    expect((await setup([], env)).stderr).toContain("npm says hello\nnpm_config_registry=kept\n");
  });

  test("two set-ups at once install once", async () => {
    fakeNpm(`${workingNpm}; sleep 0.5`);
    const ends = await Promise.all([setup(["echo", "one"]), setup(["echo", "two"])]);
    expect(ends.map((end) => end.stdout)).toEqual(["one\n", "two\n"]);
    expect(npmCalls()).toHaveLength(1);
  });

  test("a lock left behind by a killed set-up is taken over by exactly one of many", async () => {
    write(".setup-lock", `${spawnSync("true").pid} ${hostname()}`);
    fakeNpm(`${workingNpm}; sleep 0.5`);
    const ends = await Promise.all(["1", "2", "3", "4"].map((word) => setup(["echo", word])));
    expect(ends.map((end) => end.stdout)).toEqual(["1\n", "2\n", "3\n", "4\n"]);
    expect(npmCalls()).toHaveLength(1);
    expect(existsSync(inRoot(".setup-lock"))).toBe(false);
  });
});

describe("when installing fails", () => {
  test("it says what failed and what to try, runs nothing, and tries again the next time", async () => {
    fakeNpm("exit 3");
    const end = await setup(["echo", "ran"]);
    expect(end).toMatchObject({ code: 1, stdout: "" });
    expect(end.stderr).toContain('"npm ci" ended with exit code 3');
    expect(end.stderr).toContain("What to try:");
    expect(end.stderr).not.toMatch(/^\s+at /m);

    fakeNpm(workingNpm);
    expect(await setup(["echo", "ran"])).toMatchObject({ code: 0, stdout: "ran\n" });
  });

  test("a folder that cannot be written is named without a stack", async () => {
    // A folder in the place of the lock file is in the way of root, too.
    mkdirSync(inRoot(".setup-lock"));
    const end = await setup(["echo", "ran"]);
    expect(end).toMatchObject({ code: 1, stdout: "" });
    expect(end.stderr).toContain(`could not read or write a file in ${root}`);
    expect(end.stderr).toContain("What to try:");
    expect(end.stderr).not.toMatch(/^\s+at /m);
  });

  test("a missing npm is named", async () => {
    rmSync(inRoot("bin/npm"));
    const end = await setup([], { PATH: inRoot("bin") });
    expect(end.code).toBe(1);
    expect(end.stderr).toContain("npm could not be started");
  });

  test("an installation without the pinned Node is detected", async () => {
    fakeNpm("mkdir -p node_modules");
    const end = await setup(["echo", "ran"]);
    expect(end).toMatchObject({ code: 1, stdout: "" });
    expect(end.stderr).toContain("ignore-scripts");
  });

  test("stopping it stops npm and its children, and leaves nothing half installed", async () => {
    fakeNpm(`${workingNpm}; sleep 60 & touch ready; wait`);
    const child = start(["echo", "ran"]);
    await until(() => existsSync(inRoot("ready")));
    child.kill("SIGTERM");
    // The output ends only when the last process that holds it exits, so this would also wait for the sleeper.
    expect(await ended(child)).toMatchObject({ signal: "SIGTERM", stdout: "" });
    expect(existsSync(inRoot(".setup-lock"))).toBe(false);

    fakeNpm(workingNpm);
    expect((await setup(["echo", "ran"])).stdout).toBe("ran\n");
  });
});

describe("handing over", () => {
  beforeEach(async () => {
    await setup();
  });

  test("the command runs with the pinned Node first on its PATH", async () => {
    expect((await setup(["sh", "-c", "command -v node"])).stdout).toBe(`${inRoot("node_modules/.bin/node")}\n`);
  });

  test("arguments, input and exit code pass through", async () => {
    const end = await setup(["sh", "-c", 'cat; echo "$1"; exit 7', "sh", "a b"], {}, "typed\n");
    expect(end).toEqual({ code: 7, signal: null, stdout: "typed\na b\n", stderr: "" });
  });

  test("a command that does not exist is named", async () => {
    const end = await setup(["no-such-command"]);
    expect(end.code).toBe(127);
    expect(end.stderr).toContain('Cannot run "no-such-command"');
  });

  test.for(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s reaches the command, which chooses its own exit code",
    async (signal) => {
      // It starts no other program, because a shell that is starting one may miss a signal. It ends after a minute.
      const counting = "n=0; while [ $n -lt 30000000 ]; do n=$((n + 1)); done";
      const child = start(["sh", "-c", `trap 'echo caught; exit 5' ${signal.slice(3)}; : > ready; ${counting}`]);
      await until(() => existsSync(inRoot("ready")));
      child.kill(signal);
      expect(await ended(child)).toMatchObject({ code: 5, stdout: "caught\n" });
    },
  );

  test.for(["SIGINT", "SIGTERM"] as const)(
    "a command ended by %s ends the set-up by it too, and is gone",
    async (signal) => {
      const child = start(["sh", "-c", "echo $$ > command; touch ready; exec sleep 60"]);
      await until(() => existsSync(inRoot("ready")));
      child.kill(signal);
      expect(await ended(child)).toMatchObject({ code: null, signal });
      expect(isAlive(Number(readFileSync(inRoot("command"), "utf8")))).toBe(false);
    },
  );
});

describe("building the page", () => {
  const built = "Building the web page";

  beforeEach(async () => {
    await setup();
    write("packages/web/index.html", "<!doctype html>");
    write("packages/web/src/main.tsx", "one");
    fakeVite();
  });

  test("it is built when it is missing, not again while it is current, and the reason is given", async () => {
    const first = await setup(["--page", "echo", "ran"]);
    expect(first).toMatchObject({ code: 0, stdout: "ran\n" });
    expect(first.stderr).toMatch(
      /^Building the web page, since it was not built yet\.(?:vite says hello\n){2} It took [\d.]+ s\.\n$/,
    );
    expect(readFileSync(inRoot("packages/web/dist/index.html"), "utf8")).toBe("built from one\n");
    expect(await setup(["--page", "echo", "ran"])).toMatchObject({ code: 0, stdout: "ran\n", stderr: "" });
  });

  test.for([
    ["a source", "packages/web/src/main.tsx"],
    ["a new file", "packages/web/public/icon.svg"],
    ["the protocol", "packages/protocol/src/view/fold.ts"],
    ["the configuration", "packages/web/vite.config.ts"],
  ] as const)("it is built again when %s changed", async ([, file]) => {
    await setup(["--page"]);
    write(file, "two");
    expect((await setup(["--page"])).stderr).toContain("since its sources have changed");
    expect((await setup(["--page"])).stderr).toBe("");
  });

  test("a changed test, or a command that does not need it, causes no build", async () => {
    expect((await setup(["true"])).stderr).toBe("");
    await setup(["--page"]);
    write("packages/web/src/main.test.tsx", "a test");
    expect((await setup(["--page"])).stderr).toBe("");
  });

  test("two set-ups at once build once", async () => {
    fakeVite("sleep 0.5");
    const ends = await Promise.all([setup(["--page", "echo", "one"]), setup(["--page", "echo", "two"])]);
    expect(ends.map((end) => end.stdout)).toEqual(["one\n", "two\n"]);
    expect(ends.filter((end) => end.stderr.includes(built))).toHaveLength(1);
  });

  test("a failure is explained, runs nothing, keeps the old page, and is tried again the next time", async () => {
    await setup(["--page"]);
    write("packages/web/src/main.tsx", "two");
    fakeVite("exit 3");
    const end = await setup(["--page", "echo", "ran"]);
    expect(end).toMatchObject({ code: 1, stdout: "" });
    expect(end.stderr).toContain('"vite build" ended with exit code 3');
    expect(end.stderr).toContain("What to try:");
    expect(end.stderr).not.toMatch(/^\s+at /m);
    expect(readFileSync(inRoot("packages/web/dist/index.html"), "utf8")).toBe("built from one\n");
    expect(existsSync(inRoot("packages/web/.dist-fresh"))).toBe(false);
    fakeVite();
    expect(await setup(["--page", "echo", "ran"])).toMatchObject({ code: 0, stdout: "ran\n" });
    expect(readFileSync(inRoot("packages/web/dist/index.html"), "utf8")).toBe("built from two\n");
  });

  /** A vite that runs this shell script and then writes the sources into the folder that follows `--outDir`. */
  function fakeVite(script = "") {
    const build =
      'for word; do out=$word; done; mkdir -p "$out"; echo "built from $(cat src/main.tsx)" > "$out/index.html"';
    write("node_modules/.bin/vite", `#!/bin/sh\necho vite says hello\n${script}\n${build}\n`, 0o755);
  }
});

function setup(command: string[] = [], env: NodeJS.ProcessEnv = {}, input = "") {
  return ended(start(command, env), input);
}

function start(command: string[], env: NodeJS.ProcessEnv = {}) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"));
  const PATH = [inRoot("bin"), "/usr/bin", "/bin"].join(path.delimiter);
  const options = { cwd: root, env: { ...Object.fromEntries(own), PATH, NODE_ENV: "production", ...env } };
  return spawn(process.execPath, [inRoot("scripts/setup.mjs"), ...command], options);
}

async function ended(child: ChildProcessWithoutNullStreams, input = "") {
  child.stdin.end(input);
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code, signal] = await once(child, "close");
  const [stdout, stderr] = await outputs;
  return { code, signal, stdout, stderr };
}

/** Puts an npm on PATH that records its arguments, prints a greeting and runs this shell script. */
function fakeNpm(script: string) {
  write("bin/npm", `#!/bin/sh\necho "$*" >> npm-calls\necho npm says hello\n${script}\n`, 0o755);
}

function npmCalls(): string[] {
  return readFileSync(inRoot("npm-calls"), "utf8").trim().split("\n");
}

function breakNode() {
  rmSync(inRoot("node_modules/.bin/node"));
  write("node_modules/.bin/node", "#!/bin/sh\nexit 1\n", 0o755);
}

function write(name: string, content: string, mode = 0o644) {
  mkdirSync(path.dirname(inRoot(name)), { recursive: true });
  writeFileSync(inRoot(name), content, { mode });
}

function inRoot(name: string): string {
  return path.join(root, name);
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

async function until(condition: () => boolean) {
  while (!condition()) await sleep(10);
}
