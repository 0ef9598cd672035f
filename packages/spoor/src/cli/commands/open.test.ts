import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { renderUnicodeCompact } from "uqr";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { bin, createPlace, fakeCommand, hasTerminal } from "../../../testing/cli/process.ts";
import { firstLine } from "../../../testing/process/first-line.ts";
import { networkAddresses } from "../running/network-address.ts";

const SOON = { timeout: 60_000 };
let place: ReturnType<typeof createPlace>;

/** The link that the browser was given. Its program may end later than the command. */
const noted = () => vi.waitFor(() => readFileSync(path.join(place.home, "opened"), "utf8").trim(), SOON);

beforeEach(() => {
  place = createPlace("open");
  const { home, remove } = place;
  onTestFinished(remove);
  mkdirSync(path.join(home, "bin"));
  writeFileSync(
    path.join(home, "bin/xdg-open"),
    `#!/bin/sh\necho "$1" > "${home}/opened.new"; mv "${home}/opened.new" "${home}/opened"\n`,
    {
      mode: 0o755,
    },
  );
});

const env = () => ({ PATH: `${place.home}/bin:/usr/bin:/bin`, HOME: place.home, SPOOR_HOME: place.data });

async function serving(...flags: string[]): Promise<string> {
  const child = spawn(process.execPath, [bin, "serve", "--port", "0", "--json", ...flags], {
    env: env(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  return (JSON.parse(await firstLine(child.stdout)) as { url: string }).url;
}

async function open(...args: string[]) {
  const child = spawn(process.execPath, [bin, "open", ...args], { env: env(), stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const [code] = (await once(child, "close")) as [number];
  return { code, stdout, stderr };
}

const follow = async (link: string) => (await fetch(link, { redirect: "manual" })).headers.get("location");

// Each test starts several processes one after the other.
describe.skipIf(process.platform !== "linux")("spoor open", { timeout: 60_000 }, () => {
  it("opens the page of the running server in the browser, logged in by a fresh link", async () => {
    const url = await serving();
    const { code, stdout } = await open();
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Opened ${url}/ in the browser.`)]);
    expect(await noted()).toMatch(new RegExp(`^${url}/login/`));
    expect(await follow(await noted())).toBe("/");
  });

  it("opens a run that is named by the end of its id", async () => {
    await place.spoor(["run", "claude", "hello", ...fakeCommand]);
    const [run] = JSON.parse(`[${(await place.spoor(["ls", "--json"])).stdout.trim().split("\n").join(",")}]`) as {
      run_id: string;
    }[];
    const run_id = run?.run_id ?? "";
    const url = await serving();
    const { stdout } = await open(run_id.slice(-5), "--json");
    const printed = JSON.parse(stdout) as { url: string; login_url: string };
    expect(printed).toMatchObject({ url: `${url}/runs/${run_id}`, run_id, directory: place.data });
    expect(await follow(printed.login_url)).toBe(`/runs/${run_id}`);
    expect(existsSync(path.join(place.home, "opened"))).toBe(false);
    const none = await open("nosuchrun");
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("nosuchrun")]);
  });

  it("--print prints the link and opens nothing", async () => {
    await serving();
    const { stdout } = await open("--print");
    expect(await follow(/http:\S+/.exec(stdout)?.[0] ?? "")).toBe("/");
    expect(existsSync(path.join(place.home, "opened"))).toBe(false);
  });

  it("gives the link if no browser can be opened", async () => {
    await serving();
    writeFileSync(path.join(place.home, "bin/xdg-open"), "#!/bin/sh\nexit 3\n");
    const { code, stdout } = await open();
    expect(code).toBe(0);
    expect(stdout).toContain("No browser could be opened here: xdg-open ended with exit code 3.");
    expect(await follow(/http:\S+/.exec(stdout)?.[0] ?? "")).toBe("/");
  });

  it("says what to do if no server runs and nobody is at a terminal", async () => {
    const { code, stderr } = await open();
    expect([code, stderr]).toEqual([
      1,
      `No server runs on ${place.data}. Start one with \`spoor serve\`, or use \`spoor open\` at a terminal.\n`,
    ]);
  });

  it("--phone says what to do if the server listens on this machine only", async () => {
    await serving();
    const { code, stderr } = await open("--phone");
    expect([code, stderr]).toEqual([1, expect.stringContaining("--host 0.0.0.0 --token-file")]);
  });

  it.skipIf(networkAddresses().length === 0)("--phone gives a link that works from the network", async () => {
    const file = path.join(place.home, "token");
    writeFileSync(file, "a-token-that-is-only-for-tests\n", { mode: 0o600 });
    await serving("--host", "0.0.0.0", "--token-file", file);
    const { stdout } = await open("--phone");
    const [link = ""] = /http:\S+/.exec(stdout) ?? [];
    expect(new URL(link).hostname).toBe(networkAddresses()[0]);
    expect(await follow(link)).toBe("/");
  });
});

describe.skipIf(!hasTerminal)("at a terminal", { timeout: 120_000 }, () => {
  /** Starts the program in a pseudo-terminal. Returns what it has printed so far, and a way to type. */
  function onTerminal(...args: string[]) {
    const line = `stty cols 100; exec ${[process.execPath, bin, ...args].join(" ")}`;
    const child = spawn("script", ["-qec", line, "/dev/null"], { env: env(), stdio: ["pipe", "pipe", "inherit"] });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (printed += text));
    onTestFinished(() => void child.kill("SIGKILL"));
    return { child, printed: () => printed.replaceAll("\r\n", "\n") };
  }

  it("without a server, spoor open serves until Ctrl-C and opens the page", async () => {
    const { child, printed } = onTerminal("open");
    await vi.waitFor(() => expect(printed()).toMatch(/Ctrl-C stops the server\.[\s\S]*in the browser/), SOON);
    expect(await follow(await noted())).toBe("/");
    child.stdin.write("\u0003");
    await once(child, "close");
    expect(printed()).toContain("Stopping.");
  });

  it.skipIf(networkAddresses().length === 0)(
    "a server for the network prints a link for a phone as a QR code",
    async () => {
      const file = path.join(place.home, "token");
      writeFileSync(file, "a-token-that-is-only-for-tests\n", { mode: 0o600 });
      const { child, printed } = onTerminal("serve", "--port", "0", "--host", "0.0.0.0", "--token-file", file);
      await vi.waitFor(() => expect(printed()).toContain("Ctrl-C"), SOON);
      const [, link = ""] = /On a phone .*: (http:\S+)/.exec(printed()) ?? [];
      expect(new URL(link).hostname).toBe(networkAddresses()[0]);
      for (const line of renderUnicodeCompact(link, { border: 2 }).split("\n")) expect(printed()).toContain(line);
      expect(await follow(link)).toBe("/");
      child.stdin.write("\u0003");
      await once(child, "exit");
    },
  );
});
