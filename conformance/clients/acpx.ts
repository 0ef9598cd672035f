import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { install } from "./install.ts";
import { root, spoor, writeProgram, writeScript } from "./programs.ts";

/** The version that the scenarios were written for. */
const VERSION = "0.19.1";

interface Scenario {
  name: string;
  /** Returns what is wrong. */
  play(place: Place): Promise<unknown>;
}

type Place = ReturnType<typeof createPlace>;

/**
 * Drives `spoor acp` with acpx, a headless client of ACP that others wrote, in a private home. The agent behind it is a small
 * program that speaks Claude Code's dialect. Prints each outcome; returns whether all are as they should be.
 */
export async function proveAcpx(): Promise<boolean> {
  const program = path.join(install("acpx", VERSION), ".bin/acpx");
  let isFine = true;
  for (const { name, play } of scenarios) {
    const place = createPlace(program);
    try {
      await play(place);
      console.log(`✓ acpx: ${name}`);
    } catch (error) {
      isFine = false;
      console.log(`✗ acpx: ${name}\n    ${(error as Error).message.replaceAll("\n", "\n    ")}`);
    } finally {
      await removeHome(place);
    }
  }
  return isFine;
}

const scenarios: readonly Scenario[] = [
  {
    name: "text and tools",
    async play({ acpx }) {
      expectIn(await acpx("exec", "hello shell plan"), [
        "Heard hello.",
        "echo hello (completed)",
        "[plan]",
        "end_turn",
      ]);
    },
  },
  {
    name: "a permission that is granted",
    async play({ acpx, project }) {
      expectIn(await acpx("--approve-all", "exec", "write"), ["session/request_permission", "notes.txt", "allowed"]);
      expectIn(readFileSync(path.join(project, "notes.txt"), "utf8"), ["another line"]);
    },
  },
  {
    name: "a permission that is refused",
    async play({ acpx }) {
      // acpx ends with 5 if a permission was refused.
      expectIn(await acpx("--deny-all", "exec", "ask bye"), [
        "(failed)",
        "refused:",
        "Heard bye.",
        "end_turn",
        "code 5",
      ]);
    },
  },
  {
    name: "messages as JSON",
    async play({ acpx }) {
      const lines = (await acpx("--format", "json", "--json-strict", "exec", "hello"))
        .split("\n")
        .filter((line) => line.startsWith("{"));
      const messages = lines.map((line) => JSON.parse(line) as { result?: { stopReason?: string } });
      if (messages.at(-1)?.result?.stopReason !== "end_turn") throw new Error(lines.join("\n"));
    },
  },
  {
    name: "a session that is resumed by later commands, with another mode and model",
    async play({ acpx }) {
      await acpx("sessions", "new");
      expectIn(await acpx("--ttl", "1", "first"), ["session/resume", "Heard first."]);
      expectIn(await acpx("set-mode", "deny"), ["mode set: deny"]);
      expectIn(await acpx("set", "model", "claude-opus-5-5"), ["model set: claude-opus-5-5"]);
      expectIn(await acpx("--ttl", "1", "ask"), ["refused:"]);
      expectIn(await acpx("sessions", "list"), ["first"]);
      expectIn(await acpx("sessions", "close"), ["code 0"]);
    },
  },
  {
    name: "a session that is loaded by later commands",
    async play({ acpxLoading }) {
      await acpxLoading("sessions", "new");
      expectIn(await acpxLoading("--ttl", "1", "alpha"), ["session/load", "Heard alpha."]);
      expectIn(await acpxLoading("--ttl", "1", "beta"), ["Heard beta.", "end_turn"]);
      expectIn(await acpxLoading("sessions", "read"), ["Heard alpha.", "Heard beta."]);
    },
  },
  {
    name: "a prompt that is cancelled",
    async play({ acpx, start }) {
      await acpx("sessions", "new");
      const child = start("--ttl", "1", "working hang");
      let printed = "";
      const isWorking = Promise.withResolvers<void>();
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        if (printed.includes("Heard working.")) isWorking.resolve();
      });
      const ended = once(child, "close").then(() => isWorking.resolve());
      await isWorking.promise;
      expectIn(await acpx("cancel"), ["cancel requested"]);
      await ended;
      expectIn(printed, ["[done] cancelled"]);
    },
  },
];

function expectIn(text: string, parts: readonly string[]): void {
  const missing = parts.filter((part) => !text.includes(part));
  if (missing.length > 0) throw new Error(`${missing.join(", ")} is missing in:\n${text}`);
}

/** acpx still writes to its home when a prompt is answered, so the folder is removed until it stays away. */
async function removeHome({ home }: Place): Promise<void> {
  for (let tries = 0; existsSync(home) && tries < 20; tries += 1) {
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    await sleep(1_500);
  }
}

/** A private home in which `claude` and `spoor` are the only agents. */
function createPlace(program: string) {
  const home = mkdtempSync(path.join(tmpdir(), "spoor-acpx-"));
  const [programs, project] = [path.join(home, "bin"), path.join(home, "project")];
  for (const folder of [programs, project]) mkdirSync(folder);
  const claude = path.join(root, "packages/spoor/testing/acp/programs/worded-claude.mjs");
  writeProgram(programs, "claude", [process.execPath, claude]);
  writeProgram(programs, "spoor", spoor);
  // acpx loads a session only if the agent cannot resume it.
  writeScript(programs, "spoor-loading", `spoor acp | sed -u 's/"resume":{},//'`);
  symlinkSync(process.execPath, path.join(programs, "node"));
  const env = { PATH: `${programs}:/usr/bin:/bin`, HOME: home, SPOOR_HOME: path.join(home, "data") };
  const commandOf = (agent: string, argv: readonly string[]) => [program, "--agent", agent, ...argv];
  const run = async (agent: string, argv: readonly string[]): Promise<string> => {
    for (;;) {
      const printed = await runOnce(agent, argv);
      if (!printed.includes("Queue owner is shutting down")) return printed;
      // acpx keeps a process for a while after each prompt, and refuses commands while that process ends.
      await sleep(300);
    }
  };
  const runOnce = async (agent: string, argv: readonly string[]): Promise<string> => {
    const options = { cwd: project, env, timeout: 90_000 };
    try {
      const { stdout } = await promisify(execFile)(process.execPath, commandOf(agent, argv), options);
      return `${stdout}\ncode 0`;
    } catch (error) {
      const { stdout = "", stderr = "", code } = error as { stdout?: string; stderr?: string; code?: unknown };
      return `${stdout}\n${stderr}\ncode ${code}`;
    }
  };
  return {
    home,
    project,
    acpx: (...argv: string[]) => run("spoor acp", argv),
    acpxLoading: (...argv: string[]) => run("spoor-loading", argv),
    start: (...argv: string[]) =>
      spawn(process.execPath, commandOf("spoor acp", argv), {
        cwd: project,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      }),
  };
}
