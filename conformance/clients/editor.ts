import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
// biome-ignore lint/correctness/noUndeclaredDependencies: packages/spoor depends on it, and only it may choose the version.
import { client, ndJsonStream, type RequestPermissionRequest, type SessionUpdate } from "@agentclientprotocol/sdk";
import { CLIS } from "../clis.ts";
import type { Script } from "../model-server/script.ts";
import { startModelServer } from "../model-server/server.ts";
import { pinnedVersion } from "../newest.ts";
import { isInstalled, place } from "../place.ts";
import { answer, text } from "../scenarios/scenario.ts";
import { toolsOf } from "../tools.ts";
import { install } from "./install.ts";
import { root, spoor, writeProgram } from "./programs.ts";

const pinned = path.join(root, "conformance/node_modules");

/**
 * Lets the client of the official SDK drive `spoor acp` with the real Claude Code behind it, whose model is scripted: text, a
 * plan, a file that is allowed, a command that is refused, a second prompt, and loading. Prints the outcome; returns whether
 * it is as it should be.
 */
export async function proveEditor(): Promise<boolean> {
  const cli = CLIS.find(({ name }) => name === "claude");
  const tools = toolsOf.claude;
  if (!cli || !tools) throw new Error("Claude Code is no longer driven.");
  // Claude Code alone, since the other agents are not needed here.
  const modules = (await isInstalled(cli)) ? pinned : install("@anthropic-ai/claude-code", pinnedVersion(cli));
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-editor-")));
  const cwd = path.join(home, "project");
  const file = path.join(cwd, "notes.txt");
  const script: Script = [
    answer(text("I write it."), tools.create(file, "one\n")),
    answer(text("And I remove it."), tools.shell("rm notes.txt")),
    answer(text("Then not.")),
    answer(text("Still here.")),
  ];
  const server = await startModelServer({ script });
  const placed = await place(cli, { url: server.url, home, modules });
  const env = { ...placed.env, ...programs(home, placed), HOME: home, SPOOR_HOME: path.join(home, "data") };
  try {
    const first = await drive(env, cwd, ["allow_once", "reject_once"], async (agent, said) => {
      const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
      const prompt = (words: string) =>
        agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] });
      const stops = [(await prompt("Write a file, then remove it.")).stopReason, (await prompt("And?")).stopReason];
      return { sessionId, stops, said: said() };
    });
    const again = await drive(env, cwd, [], async (agent, said) => {
      await agent.request("session/load", { sessionId: first.result.sessionId, cwd, mcpServers: [] });
      return said();
    });
    const asked = first.permissions.map(({ toolCall }) => toolCall);
    const diff = { type: "diff", path: file, newText: "one\n" };
    const problems = [
      first.result.stops.some((stop) => stop !== "end_turn") && `The prompts ended with ${first.result.stops}.`,
      !/I write it\..*And I remove it\..*Still here\./s.test(first.result.said) && `It said: ${first.result.said}`,
      again.result !== first.result.said && `When it was loaded, it said: ${again.result}`,
      (!existsSync(file) || readFileSync(file, "utf8") !== "one\n") && "The file is not as it was allowed.",
      !isDeepStrictEqual(asked[0]?.content, [diff]) && `Asked without the diff: ${JSON.stringify(asked)}`,
      asked[1]?.title !== "rm notes.txt" && `Asked without the command: ${JSON.stringify(asked[1])}`,
      ...[...first.updates, ...again.updates].map(
        ({ _meta }) => !_meta?.["spoor/event"] && "An update does not name its event.",
      ),
    ].filter((problem) => typeof problem === "string");
    for (const line of problems) console.log(`✗ the client of the SDK, with Claude Code: ${line}`);
    if (problems.length === 0) console.log("✓ the client of the SDK, with Claude Code");
    return problems.length === 0;
  } finally {
    await server.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

type Notification = { update: SessionUpdate; _meta?: Record<string, unknown> | null };
type Agent = Parameters<Parameters<ReturnType<typeof client>["connectWith"]>[1]>[0];

/** Starts `spoor acp` and answers its requests for permission in this order. */
async function drive<T>(
  env: NodeJS.ProcessEnv,
  cwd: string,
  answers: ("allow_once" | "reject_once")[],
  work: (agent: Agent, said: () => string) => Promise<T>,
) {
  const child = spawn("spoor", ["acp"], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const updates: Notification[] = [];
  const permissions: RequestPermissionRequest[] = [];
  const said = () =>
    updates
      .map(({ update }) =>
        update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "",
      )
      .join("");
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>);
  const result = await client({ name: "conformance" })
    .onNotification("session/update", ({ params }) => void updates.push(params))
    .onRequest("session/request_permission", ({ params }) => {
      permissions.push(params);
      const kind = answers.shift();
      const optionId = params.options.find((option) => option.kind === kind)?.optionId ?? "none";
      return { outcome: { outcome: "selected", optionId } };
    })
    .connectWith(stream, async (agent) => {
      await agent.request("initialize", { protocolVersion: 1 });
      return work(agent, said);
    });
  child.stdin.end();
  await ended;
  return { result, updates, permissions };
}

/** Makes `claude` and `spoor` the programs of this home. */
function programs(home: string, { command, first }: { command: string; first: readonly string[] }) {
  const folder = path.join(home, "bin");
  mkdirSync(folder);
  writeProgram(folder, "claude", [command, ...first]);
  writeProgram(folder, "spoor", spoor);
  return { PATH: `${folder}:/usr/bin:/bin` };
}
