import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer as createNetServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { run } from "../../../testing/cli/run.ts";
import { firstLine } from "../../../testing/process/first-line.ts";

const program = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), "spoor serve-"));
  onTestFinished(() => rm(made, { recursive: true, maxRetries: 5 }));
  return made;
}

/** Starts the server. Returns what it prints and its address. The server is stopped at the end of the test. */
const started = (...options: string[]) => startedAnywhere("--port", "0", ...options);

async function startedAnywhere(...options: string[]): Promise<{ printed: string; url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [program, "serve", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
  let printed = "";
  for await (const chunk of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    printed += chunk;
    if (printed.includes("Ctrl-C")) break;
  }
  return { printed, url: /http:\S+/.exec(printed)?.[0] ?? "", child };
}

it("prints where the log and its token are, and what to do next", async () => {
  const directory = path.join(await folder(), "it's here");
  const { printed, url } = await started("--data", path.relative(process.cwd(), directory));
  expect(printed).toContain(`the log is in ${directory}\n`);
  expect(printed).toContain(`npx spoor ls --data '${directory.replace("'", "'\\''")}' `);
  const [, file = ""] = /token for programs: (.*)/.exec(printed) ?? [];
  const authorization = `Bearer ${(await readFile(file, "utf8")).trim()}`;
  expect((await fetch(`${url}/v1/runs`, { headers: { authorization } })).status).toBe(200);
});

it("names the given token file, and creates no other", async () => {
  const directory = await folder();
  const file = path.join(directory, "mine");
  await writeFile(file, "a-token-that-is-only-for-tests\n", { mode: 0o600 });
  const { printed } = await started("--data", directory, "--token-file", file);
  expect(printed).toContain(`token for programs: ${file}\n`);
});

it("names a token file that cannot be read, and says what to do", async () => {
  const directory = await folder();
  const file = path.join(directory, "missing");
  const { code, stderr } = await run(["serve", "--data", directory, "--token-file", file]);
  expect(code).toBe(1);
  expect(stderr).toContain(`The token file ${file} cannot be read: ENOENT`);
  expect(stderr).toContain("Name a file that holds a token (--token-file).");
});

it("says what to do when the machine does not have the address of --host", async () => {
  const directory = await folder();
  const file = path.join(directory, "mine");
  await writeFile(file, "a-token-that-is-only-for-tests\n", { mode: 0o600 });
  const { code, stderr } = await run(["serve", "--data", directory, "--token-file", file, "--host", "203.0.113.9"]);
  expect([code, stderr]).toEqual([
    1,
    "The server cannot listen on 203.0.113.9, port 8765: this machine does not have this address. Choose one that it has (--host).\n",
  ]);
});

it("refuses port numbers that do not exist", async () => {
  const { code, stderr } = await run(["serve", "--port", "70000"]);
  expect([code, stderr]).toEqual([2, "--port takes a whole number from 0 to 65535, not 70000.\n"]);
});

describe("a data directory has one server", () => {
  it("a second one prints the address of the first and a link that works, and exits", async () => {
    const directory = await folder();
    const { url } = await started("--data", directory);
    const second = await run(["serve", "--data", directory]);
    expect(second.code).toBe(0);
    expect(second.stdout).toContain(`Spoor is already running at ${url} `);
    const [link = ""] = /http:\S+\/login\/\S+/.exec(second.stdout) ?? [];
    expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
    const asJson = await run(["serve", "--data", directory, "--json"]);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ url, directory, already_running: true });
    const { port } = new URL(url);
    const other = await run(["serve", "--data", directory, "--port", String(Number(port) - 1)]);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("was not used")]);
    expect((await run(["serve", "--data", directory, "--port", port])).code).toBe(0);
  });

  it("if several start at the same time, one serves and the others print its address", {
    timeout: 120_000,
  }, async () => {
    const directory = await folder();
    const children = Array.from({ length: 5 }, () =>
      spawn(process.execPath, [program, "serve", "--port", "0", "--data", directory, "--json"], {
        stdio: ["ignore", "pipe", "inherit"],
      }),
    );
    const printed = await Promise.all(
      children.map(async ({ stdout }) => JSON.parse(await firstLine(stdout)) as PrintedAddress),
    );
    expect(printed.filter(({ already_running }) => already_running !== true)).toHaveLength(1);
    expect(new Set(printed.map(({ url }) => url)).size).toBe(1);
    await Promise.all(
      children.map(async (child) => {
        if (printed[children.indexOf(child)]?.already_running !== true) child.kill("SIGTERM");
        if (child.exitCode === null) expect(await once(child, "exit")).toEqual([0, null]);
      }),
    );
  });

  it("one that was killed does not prevent the next from starting", { timeout: 60_000 }, async () => {
    const directory = await folder();
    const killed = spawn(process.execPath, [program, "serve", "--port", "0", "--data", directory, "--json"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const first = await firstLine(killed.stdout);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const none = await run(["login", "--data", directory]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("No server runs on")]);
    const { url } = await started("--data", directory);
    expect(JSON.parse(first).url).not.toBe("");
    const { stdout } = await run(["login", "--data", directory, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ url, directory });
  });

  it("a message says when another directory's server uses the default port", { timeout: 60_000 }, async () => {
    const blocker = createNetServer();
    // If another program uses the port already, the test works as well.
    await new Promise<void>((resolve) => blocker.once("error", () => resolve()).listen(8765, "127.0.0.1", resolve));
    onTestFinished(() => void blocker.close());
    const { printed, url } = await startedAnywhere("--data", await folder());
    expect(new URL(url).port).not.toBe("8765");
    expect(printed).toContain("port 8765 is taken by another program, or by the server of another data directory");
    const { port } = new URL(url);
    const { code, stderr } = await run(["serve", "--data", await folder(), "--port", port]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Port ${port} is taken`)]);
  });
});

describe("spoor login", () => {
  it("prints a fresh link each time, also for a server with --token-file", async () => {
    const directory = await folder();
    const file = path.join(directory, "mine");
    await writeFile(file, "a-token-that-is-only-for-tests\n", { mode: 0o600 });
    const { url } = await started("--data", directory, "--token-file", file);
    const links = await Promise.all([1, 2].map(async () => (await run(["login", "--data", directory])).stdout));
    expect(new Set(links).size).toBe(2);
    for (const printed of links) {
      const [link = ""] = /http:\S+/.exec(printed) ?? [];
      expect(link.startsWith(`${url}/login/`)).toBe(true);
      expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
    }
  });

  it("reports that no server runs", async () => {
    const { code, stderr } = await run(["login", "--data", await folder()]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^No server runs on .* Start one with `spoor serve`\.\n$/),
    ]);
  });

  it("says what to do when the server does not answer", { timeout: 60_000 }, async () => {
    const directory = await folder();
    const { child } = await started("--data", directory);
    const note = path.join(directory, "server.json");
    await writeFile(note, (await readFile(note, "utf8")).replace(/:\d+"/, ':1"'));
    const { code, stderr } = await run(["login", "--data", directory]);
    expect(code).toBe(1);
    expect(stderr).toContain(`kill ${child.pid}`);
  });
});

interface PrintedAddress {
  url: string;
  already_running?: boolean;
}
