import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { createSpoorClient } from "@spoor/protocol/client";
import { describe, expect, test } from "vitest";
import { openLog } from "../../src/log/open.ts";
import { bin } from "../cli/process.ts";
import { startServer } from "../server/server-process.ts";
import { allow, openEditor, promptOf, startEditor, type TestEditor } from "./editor.ts";
import { type AcpPlace, createAcpPlace } from "./place.ts";

const settled = { timeout: 30_000 };

async function spoor({ cwd, env }: AcpPlace, ...argv: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [bin, ...argv], { cwd, env, stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

const approvalIn = ({ permissions }: TestEditor): string => {
  const { approvalId } = (permissions.at(-1)?._meta?.["spoor/approval"] ?? {}) as { approvalId?: string };
  return approvalId ?? "";
};

describe("a session of an editor", { timeout: 90_000 }, () => {
  test("is cancelled while it works, while it asks, while it waits in line, and by withdrawing the request", async () => {
    const place = createAcpPlace();
    const { editor, sessionId, prompt } = await openEditor(place, {
      onPermission: (_, signal) =>
        new Promise((resolve) => {
          const cancelled = () => resolve({ outcome: { outcome: "cancelled" } });
          signal.addEventListener("abort", cancelled);
          onCancel.push(cancelled);
        }),
    });
    const onCancel: (() => void)[] = [];
    const cancel = async () => {
      await editor.agent.notify("session/cancel", { sessionId });
      for (const answer of onCancel) answer();
    };

    const working = prompt("hello hang");
    const queued = prompt("never");
    await expect.poll(() => editor.said, settled).toContain("Heard hello.");
    await cancel();
    await expect(Promise.all([working, queued])).resolves.toMatchObject([
      { stopReason: "cancelled" },
      { stopReason: "cancelled" },
    ]);
    expect(editor.said).not.toContain("never");

    const asking = prompt("ask");
    await expect.poll(() => editor.permissions.length, settled).toBe(1);
    await cancel();
    await expect(asking).resolves.toMatchObject({ stopReason: "cancelled" });

    // Before the run is even made.
    const early = prompt("hang");
    await cancel();
    await expect(early).resolves.toMatchObject({ stopReason: "cancelled" });

    const controller = new AbortController();
    const withdrawn = editor.agent.request(
      "session/prompt",
      { sessionId, prompt: [{ type: "text", text: "third hang" }] },
      { cancellationSignal: controller.signal },
    );
    await expect.poll(() => editor.said, settled).toContain("Heard third.");
    controller.abort();
    await expect(withdrawn).resolves.toMatchObject({ stopReason: "cancelled" });
    // Nothing is left that a further cancel could end, and the session goes on.
    await cancel();
    await expect(prompt("last")).resolves.toMatchObject({ stopReason: "end_turn" });
  });

  test("goes on when the editor is killed; the permission it waits for is asked again when it is loaded", async () => {
    const place = createAcpPlace();
    const { editor, sessionId, prompt } = await openEditor(place);
    const lost = prompt("hello ask bye").catch((error: Error) => error);
    await expect.poll(() => editor.permissions.length, settled).toBe(1);
    await editor.kill();
    await expect(lost).resolves.toBeInstanceOf(Error);

    const later = await startEditor(place, { onPermission: allow });
    const { sessions } = await later.agent.request("session/list", { cwd: place.cwd });
    expect(sessions).toMatchObject([{ sessionId, cwd: place.cwd, title: "hello ask bye" }]);
    await later.agent.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] });
    // All of the history came before the response, and the question after it.
    const order = later.raw.filter(({ from }) => from === "agent").map(({ message }) => message);
    const response = order.findIndex(({ result }) => (result as { configOptions?: unknown })?.configOptions);
    expect(later.texts("user_message_chunk")).toEqual(["hello ask bye"]);
    await expect.poll(() => later.said, settled).toBe("Heard hello.allowedHeard bye.");
    expect(later.permissions).toHaveLength(1);
    const asked = later.raw.findIndex(({ message }) => message.method === "session/request_permission");
    expect(response).toBeGreaterThan(0);
    expect(later.raw.findIndex(({ message }) => message === order[response])).toBeLessThan(asked);
    await expect(promptOf(later, { sessionId }, "more")).resolves.toMatchObject({ stopReason: "end_turn" });
    await later.quit();

    // Resuming replays nothing, and loading replays everything.
    const third = await startEditor(place);
    await third.agent.request("session/resume", { sessionId, cwd: place.cwd });
    expect(third.notifications).toEqual([]);
    await expect(promptOf(third, { sessionId }, "again")).resolves.toMatchObject({ stopReason: "end_turn" });
    third.forget();
    await third.agent.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] });
    expect(third.texts("user_message_chunk")).toEqual(["hello ask bye", "more", "again"]);
    expect(third.said).toBe("Heard hello.allowedHeard bye.Heard more.Heard again.");
    expect(third.permissions).toEqual([]);
  });

  test("is closed and deleted, and one that was begun in a terminal is listed and loaded", async () => {
    const place = createAcpPlace();
    expect(await spoor(place, "run", "claude", "from a terminal")).toBe(0);
    const { editor, sessionId, prompt } = await openEditor(place);
    await prompt("mine");
    const list = (params = {}) => editor.agent.request("session/list", params);
    const [mine, other] = (await list({ cwd: place.cwd })).sessions;
    expect([mine, other]).toMatchObject([{ sessionId }, { title: "from a terminal", cwd: place.cwd }]);
    expect((await list({ cwd: place.home })).sessions).toEqual([]);
    // Editors may know the folder by another name.
    const link = path.join(place.home, "link");
    symlinkSync(place.cwd, link);
    for (const cwd of [link, `${place.cwd}/`]) {
      expect((await list({ cwd })).sessions).toMatchObject([{ sessionId, cwd }, { cwd }]);
    }
    const otherId = other?.sessionId ?? "";
    await editor.agent.request("session/load", { sessionId: otherId, cwd: place.cwd, mcpServers: [] });
    expect(editor.texts("user_message_chunk")).toContain("from a terminal");
    await expect(promptOf(editor, { sessionId: otherId }, "on")).resolves.toMatchObject({ stopReason: "end_turn" });

    const hanging = prompt("closing hang");
    await expect.poll(() => editor.said, settled).toContain("Heard closing.");
    await editor.agent.request("session/close", { sessionId });
    await expect(hanging).resolves.toMatchObject({ stopReason: "cancelled" });
    await editor.agent.request("session/delete", { sessionId });
    await editor.agent.request("session/delete", { sessionId });
    expect((await list()).sessions.map((session) => session.sessionId)).toEqual([otherId]);
    for (const id of [sessionId, "task_nobody", "../../etc/passwd"]) {
      const request = { sessionId: id, cwd: place.cwd, mcpServers: [] };
      await expect(editor.agent.request("session/load", request)).rejects.toMatchObject({ code: -32002 });
      await expect(promptOf(editor, { sessionId: id }, "x")).rejects.toMatchObject({ code: -32002 });
    }
    expect(await editor.quit()).toBe(0);
  });

  test("is open on the page at the same time: the first answer counts, and runs of others are shown", async () => {
    const place = createAcpPlace();
    // Its workers perform the runs, so it needs the programs of this place.
    const server = await startServer(place.data, { env: place.env });
    try {
      const client = createSpoorClient({
        url: server.url,
        token: readFileSync(path.join(place.data, "token"), "utf8").trim(),
      });
      const { editor, sessionId, prompt } = await openEditor(place);
      const asked = prompt("ask");
      await expect.poll(() => editor.permissions.length, settled).toBe(1);
      await client.approvals.resolve(approvalIn(editor), { decision: "approve" });
      await expect(asked).resolves.toMatchObject({ stopReason: "end_turn" });
      expect(editor.withdrawn).toBe(1);
      const told = editor.notifications.find(({ _meta }) => _meta?.["spoor/approval"]);
      expect(told?._meta?.["spoor/approval"]).toMatchObject({ decision: "approved", by: expect.any(String) });

      editor.forget();
      const { latest_run_id = "" } = await client.tasks.get(sessionId);
      await client.runs.continue(latest_run_id ?? "", { prompt: "from the page" });
      await expect.poll(() => editor.said, settled).toContain("Heard page.");
      expect(editor.texts("user_message_chunk")).toEqual(["from the page"]);
    } finally {
      await server.stop();
    }
  });

  test("gets its response also if the process that performs the run is killed", async () => {
    const place = createAcpPlace();
    const { editor, prompt } = await openEditor(place);
    const hanging = prompt("hello hang").catch((error: unknown) => error);
    await expect.poll(() => editor.said, settled).toContain("Heard hello.");
    const log = await openLog({ directory: place.data });
    const { runs } = await log.runs({ limit: 1 });
    await log.close();
    const [, , pid] = runs[0]?.worker_id?.split("/") ?? [];
    process.kill(Number(pid), "SIGKILL");
    await expect(hanging).resolves.toMatchObject({ code: -32603 });
  });

  test("is answered although the server that was to perform its run has ended", async () => {
    const place = createAcpPlace();
    const server = await startServer(place.data, { env: place.env, workers: 0 });
    const { editor, prompt } = await openEditor(place);
    const answered = prompt("hello");
    await expect.poll(() => editor.updates.length, settled).toBeGreaterThan(0);
    await server.stop();
    await expect(answered).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(editor.said).toBe("Heard hello.");
  });

  test("is one that Spoor's own ACP adapter drives", async () => {
    const place = createAcpPlace();
    const inner = path.join(place.home, "inner");
    const argv = ["run", "acp", "hello shell", "--command", `spoor acp --data ${inner}`, "--approve", "auto", "--json"];
    expect(await spoor(place, ...argv)).toBe(0);
    const [outerLog, innerLog] = [await openLog({ directory: place.data }), await openLog({ directory: inner })];
    const [[outer], [own]] = [(await outerLog.runs()).runs, (await innerLog.runs()).runs];
    expect(outer).toMatchObject({ agent: "acp", status: "completed", result: "Ran it." });
    expect(own).toMatchObject({ agent: "claude", status: "completed", task_id: outer?.native_session_id });
    await outerLog.close();
    await innerLog.close();
  });
});
