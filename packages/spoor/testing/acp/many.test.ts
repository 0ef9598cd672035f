import { readFileSync } from "node:fs";
import path from "node:path";
import { createSpoorClient } from "@spoor/protocol/client";
import { describe, expect, test } from "vitest";
import { openLog } from "../../src/log/open.ts";
import { startServer } from "../server/server-process.ts";
import { allow, openEditor, promptOf, reject, startEditor } from "./editor.ts";
import { createAcpPlace } from "./place.ts";

const settled = { timeout: 30_000 };

describe("many sessions and many editors", { timeout: 90_000 }, () => {
  test("two sessions of one editor answer at the same time, each with its own updates and permissions", async () => {
    const place = createAcpPlace();
    const waiting: (() => void)[] = [];
    const editor = await startEditor(place, {
      // Nobody is answered before both ask.
      onPermission: () =>
        new Promise((resolve) => {
          waiting.push(() => resolve(allow()));
          if (waiting.length === 2) for (const answer of waiting) answer();
        }),
    });
    const sessions = await Promise.all(
      [1, 2].map(() => editor.agent.request("session/new", { cwd: place.cwd, mcpServers: [] })),
    );
    const words = ["alpha ask", "beta ask"];
    const prompts = sessions.map((session, index) => promptOf(editor, session, words[index] as string));
    await expect(Promise.all(prompts)).resolves.toMatchObject([{ stopReason: "end_turn" }, { stopReason: "end_turn" }]);
    const saidIn = (id: string | undefined) =>
      editor.notifications
        .filter(({ sessionId }) => sessionId === id)
        .map(({ update }) =>
          update.sessionUpdate === "agent_message_chunk" ? (update.content as { text: string }).text : "",
        )
        .join("");
    expect(sessions.map(({ sessionId }) => saidIn(sessionId))).toEqual(["Heard alpha.allowed", "Heard beta.allowed"]);
    const asked = editor.permissions.map(({ sessionId }) => sessionId);
    expect(asked.toSorted()).toEqual(sessions.map(({ sessionId }) => sessionId).toSorted());
  });

  test("prompts that name a session before it is open are answered in order, and a cancel ends those that are left", async () => {
    const place = createAcpPlace();
    const { editor: first, sessionId, prompt } = await openEditor(place);
    await prompt("hello");
    await first.quit();
    const hasty = await startEditor(place);
    const early = promptOf(hasty, { sessionId }, "early hang");
    await hasty.agent.notify("session/cancel", { sessionId });
    await expect(early).resolves.toMatchObject({ stopReason: "cancelled" });
    await hasty.quit();

    const editor = await startEditor(place);
    const prompts = ["one", "two hang", "three"].map((words) => promptOf(editor, { sessionId }, words));
    await expect.poll(() => editor.said, settled).toBe("Heard one.Heard two.");
    await expect(prompts[0]).resolves.toMatchObject({ stopReason: "end_turn" });
    await editor.agent.notify("session/cancel", { sessionId });
    for (const left of prompts.slice(1)) await expect(left).resolves.toMatchObject({ stopReason: "cancelled" });
    expect(editor.texts("user_message_chunk")).toEqual([]);
    await editor.quit();
    expect(editor.stderr).toBe("");
  });

  test("a prompt that is sent while its session is loaded waits until everything was shown", async () => {
    const place = createAcpPlace();
    const { editor: first, sessionId, prompt } = await openEditor(place);
    await prompt("one two three");
    const asked = prompt("ask four");
    await expect.poll(() => first.permissions.length, settled).toBe(1);
    const editor = await startEditor(place, { onPermission: allow });
    const loaded = editor.agent.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] });
    await expect(promptOf(editor, { sessionId }, "five")).resolves.toMatchObject({ stopReason: "end_turn" });
    await Promise.all([loaded, asked]);
    expect(editor.said).toBe("Heard one.Heard two.Heard three.allowedHeard four.Heard five.");
    expect(editor.texts("user_message_chunk")).toEqual(["one two three", "ask four"]);
    expect(editor.permissions).toHaveLength(1);
  });

  test("a session is open in two editors: both show it, either answers, and the other's question is withdrawn", async () => {
    const place = createAcpPlace();
    const { editor: first, sessionId, prompt } = await openEditor(place);
    await prompt("hello");
    let answer = () => {};
    const second = await startEditor(place, {
      onPermission: () =>
        new Promise((resolve) => {
          answer = () => resolve(reject());
        }),
    });
    await second.agent.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] });
    expect(second.said).toBe("Heard hello.");

    const asked = prompt("ask bye");
    await expect.poll(() => [first.permissions.length, second.permissions.length], settled).toEqual([1, 1]);
    answer();
    await expect(asked).resolves.toMatchObject({ stopReason: "end_turn" });
    expect([first.withdrawn, second.withdrawn]).toEqual([1, 0]);
    await expect.poll(() => second.said, settled).toMatch(/^Heard hello\.refused: .*Heard bye\.$/);
    expect(first.said).toBe(second.said);
    expect(second.texts("user_message_chunk")).toEqual(["hello", "ask bye"]);

    // Both ask at once: one run after the other, and each editor gets its own response once.
    const both = [prompt("one"), promptOf(second, { sessionId }, "two")];
    await expect(Promise.all(both)).resolves.toMatchObject([{ stopReason: "end_turn" }, { stopReason: "end_turn" }]);
    for (const editor of [first, second]) {
      await expect.poll(() => editor.said, settled).toContain("Heard one.");
      await expect.poll(() => editor.said, settled).toContain("Heard two.");
      expect(editor.said.match(/Heard (one|two)\./g)).toHaveLength(2);
    }
  });

  test("a run of another editor is shown once in a session that was loaded twice, and no more in one that was closed", async () => {
    const place = createAcpPlace();
    let answer = () => {};
    const onPermission = () =>
      new Promise<Awaited<ReturnType<typeof allow>>>((resolve) => {
        answer = () => resolve(allow());
      });
    const { editor: first, sessionId, prompt } = await openEditor(place, { onPermission });
    const asked = prompt("ask bye");
    await expect.poll(() => first.permissions.length, settled).toBe(1);
    const [twice, closed] = await Promise.all([startEditor(place), startEditor(place)]);
    for (const [editor, times] of [
      [twice, 1],
      [twice, 2],
      [closed, 1],
    ] as const) {
      await editor.agent.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] });
      await expect.poll(() => editor.permissions.length, settled).toBe(times);
    }
    await expect.poll(() => twice.withdrawn, settled).toBe(1);
    await closed.agent.request("session/close", { sessionId });
    await expect.poll(() => closed.withdrawn, settled).toBe(1);

    answer();
    await expect(asked).resolves.toMatchObject({ stopReason: "end_turn" });
    await expect.poll(() => twice.said, settled).toContain("Heard bye.");
    expect(twice.said.match(/Heard bye\./g)).toHaveLength(1);
    expect(closed.said).not.toContain("Heard bye.");
  });

  test("what the editor answers is seen on the page, and the page's open question is closed", async () => {
    const place = createAcpPlace();
    const server = await startServer(place.data, { env: place.env });
    try {
      const token = readFileSync(path.join(place.data, "token"), "utf8").trim();
      const client = createSpoorClient({ url: server.url, token });
      let answer = () => {};
      const { editor, prompt } = await openEditor(place, {
        onPermission: () =>
          new Promise((resolve) => {
            answer = () => resolve(allow());
          }),
      });
      const asked = prompt("ask");
      await expect.poll(() => editor.permissions.length, settled).toBe(1);
      const { data: open } = await client.approvals.list({ status: "pending" });
      expect(open).toHaveLength(1);
      answer();
      await expect(asked).resolves.toMatchObject({ stopReason: "end_turn" });
      const { data: closed } = await client.approvals.list();
      expect(closed).toMatchObject([{ status: "approved", by: "editor" }]);
    } finally {
      await server.stop();
    }
  });

  test("a long list of sessions comes in pages without a gap or a repetition", async () => {
    const place = createAcpPlace();
    const log = await openLog({ directory: place.data });
    const ids: string[] = [];
    for (let count = 0; count < 120; count += 1) {
      const number = String(count).padStart(3, "0");
      const [task_id, run_id] = [`task_01K9ZC0000SP00R00000000${number}`, `run_01K9ZC0000SP00R00000000${number}`];
      ids.push(task_id);
      await log.append([
        {
          run_id,
          create: { task_id, agent: "claude", kind: "agent" },
          epoch: 1,
          drafts: [{ type: "run.created", timestamp: Date.now(), json: JSON.stringify({ title: `Session ${count}` }) }],
          facts: { workspace_path: place.cwd, status: "completed" },
        },
      ] as never);
    }
    await log.close();
    const editor = await startEditor(place);
    const listed: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
      const page = await editor.agent.request("session/list", { cwd: place.cwd, ...(cursor && { cursor }) });
      listed.push(...page.sessions.map(({ sessionId }) => sessionId));
      sizes.push(page.sessions.length);
      cursor = page.nextCursor;
    }
    expect(sizes).toEqual([50, 50, 20]);
    expect(listed.toSorted()).toEqual(ids.toSorted());
    await expect(editor.agent.request("session/list", { cursor: "nonsense" })).resolves.toBeDefined();
  });
});
