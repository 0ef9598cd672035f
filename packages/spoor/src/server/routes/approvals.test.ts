import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createSpoorClient } from "@spoor/protocol/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { toy } from "../../../testing/run/toy-adapter.ts";
import { findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { serve, TOKEN } from "../../../testing/server/serve.ts";
import { createClient } from "../../client.ts";
import { serveProducers } from "../../runtime/relay/serve-producers.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const claude = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));

/** Runs `spoor` as a process with this data directory. */
function spoor(data: string, ...args: string[]) {
  const cwd = mkdtempSync(path.join(tmpdir(), "spoor-terminal-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  const child = spawn(process.execPath, [bin, ...args, "--data", data], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    output.stderr += chunk;
  });
  return { output, exited: once(child, "close").then(([code]) => code as number) };
}

const runOf = (data: string) =>
  spoor(data, "run", "claude", "run it", "--command", `"${process.execPath}" "${claude}"`);

interface Body {
  error: { code: string; conflict: unknown };
  data: { command_id: string; status: string };
}

const bodyOf = async (response: Response): Promise<Body> => (await response.json()) as Body;

/** A server that terminals record through. */
async function served() {
  const { log, server, directory, get, post } = await serve();
  const producers = await serveProducers({ log, directory });
  onTestFinished(() => producers.close());
  const client = createSpoorClient({ url: server.url, token: TOKEN });
  const pending = () =>
    vi.waitFor(
      async () => {
        const { data } = await client.approvals.list({ status: "pending" });
        if (!data[0]) throw new Error("Nothing is pending.");
        return data[0];
      },
      { timeout: 30_000 },
    );
  return { log, directory, get, post, client, pending };
}

describe("a run in a terminal", { timeout: 120_000 }, () => {
  it("is approved over HTTP, and the second answer is told who was first", async () => {
    const { log, directory, post, client, pending } = await served();
    const terminal = runOf(directory);
    const { approval_id, run_id, action_hash = "" } = await pending();
    const wrong = await post(`/v1/approvals/${approval_id}/resolve`, { decision: "approve", action_hash: "0" });
    expect([wrong.status, (await bodyOf(wrong)).error.code]).toEqual([409, "action_changed"]);
    const approve = (idempotencyKey: string) =>
      client.approvals.resolve(approval_id, { decision: "approve", action_hash }, { idempotencyKey });
    expect(await approve("mine")).toMatchObject({ status: "approved", by: "http" });
    // Whoever repeats a request whose answer was lost is the one who decided; another request is too late.
    expect(await approve("mine")).toMatchObject({ status: "approved", by: "http" });
    await expect(approve("theirs")).rejects.toMatchObject({ code: "approval_resolved" });
    await expect(approve(approval_id)).rejects.toMatchObject({ code: "approval_resolved" });
    const late = await post(`/hecate/v1/approvals/${approval_id}/resolve`, { decision: "reject" });
    expect([late.status, (await bodyOf(late)).error.conflict]).toMatchObject([409, { status: "approved", by: "http" }]);
    expect(await terminal.exited).toBe(0);
    expect(terminal.output).toMatchObject({
      stdout: expect.stringContaining("It is gone."),
      stderr: expect.stringContaining("▲ approved from another tab"),
    });
    expect(await findingsOf(log, [run_id])).toEqual([]);
    expect(await client.runs.commands(run_id)).toMatchObject({ data: [{ kind: "approve", status: "done" }] });
  });

  it("is answered by spoor approve in another terminal", async () => {
    const { directory, pending } = await served();
    const terminal = runOf(directory);
    const { run_id } = await pending();
    const other = spoor(directory, "deny", run_id, "-m", "Not today.");
    expect([await other.exited, other.output.stdout]).toEqual([0, expect.stringContaining("is rejected")]);
    expect(await terminal.exited).toBe(0);
    expect(terminal.output.stdout).toContain("I left it.");
    expect(terminal.output.stderr).toMatch(/▲ denied from another terminal \(cli:\S+\): Not today\./);
  });
});

describe("commands over HTTP", { timeout: 60_000 }, () => {
  it("pause, resume and cancel a run of another program, once per key", async () => {
    const { log, get, post } = await served();
    const run = createClient({ adapters: [toy], configDir: "/no/configuration", record: log }).run({
      ...{ agent: "toy", prompt: "hang" },
    });
    const place = `/v1/runs/${run.recordId}`;
    await vi.waitFor(async () => expect((await log.run(run.recordId))?.native_session_id).toBeDefined(), {
      timeout: 30_000,
    });
    const tell = async (verb: string, body = {}, headers = {}) => {
      const answer = await post(`${place}/${verb}?wait=10`, body, headers);
      return [answer.status, await bodyOf(answer)] as const;
    };
    const key = { "Idempotency-Key": "once" };
    const [status, first] = await tell("pause", { reason: "Lunch." }, key);
    expect([status, first.data.status]).toEqual([200, "done"]);
    expect((await tell("pause", { reason: "Lunch." }, key))[1].data.command_id).toBe(first.data.command_id);
    expect(await tell("pause")).toMatchObject([409, { error: { code: "paused" } }]);
    expect(await tell("unpause")).toMatchObject([200, {}]);
    expect(await tell("send", {})).toMatchObject([422, { error: { code: "invalid" } }]);
    expect(await tell("cancel", { reason: "Enough." })).toMatchObject([200, { data: { kind: "cancel" } }]);
    expect((await run.result()).exitReason).toBe("aborted");
    expect(await tell("cancel")).toMatchObject([
      409,
      { error: { code: "run_over", conflict: { status: "cancelled" } } },
    ]);
    expect((await bodyOf(await get(`${place}/commands`))).data).toHaveLength(4);
    expect(await findingsOf(log, [run.recordId])).toEqual([]);
  });
});
