import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { allow, openEditor, promptOf, reject, startEditor } from "./editor.ts";
import { createAcpPlace } from "./place.ts";

const chosen = (options: SessionConfigOption[] | null | undefined, id: string) =>
  options?.find((option) => option.id === id)?.currentValue;

describe("a prompt from an editor", { timeout: 60_000 }, () => {
  test("is answered with text, tools, diffs, a plan, thoughts and usage, and every update names its event", async () => {
    const place = createAcpPlace();
    writeFileSync(path.join(place.cwd, "notes.txt"), "one line\n");
    const args = ["--record-thinking"];
    const { editor, session, sessionId, prompt } = await openEditor(place, { onPermission: allow, args });
    expect(session.modes).toMatchObject({ currentModeId: "ask" });
    const agents = session.configOptions?.find(({ id }) => id === "agent");
    // Only what is installed here: the fake Claude and our own loop.
    expect(agents).toMatchObject({ currentValue: "claude", options: [{ value: "claude" }, { value: "loop" }] });

    await expect(prompt("hello shell write plan think cost loud")).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(editor.said).toMatch(/^Heard hello\.Ran it\.allowedPlanned\.Thought\.Counted\.That was loud\.$/);
    expect(editor.texts("agent_thought_chunk").join("")).toBe("Let me see.");
    expect(editor.texts("user_message_chunk")).toEqual([]);
    expect(readFileSync(path.join(place.cwd, "notes.txt"), "utf8")).toBe("one line\nanother line\n");

    const file = path.join(place.cwd, "notes.txt");
    const diff = { type: "diff", path: file, oldText: "one line\n", newText: "one line\nanother line\n" };
    expect(editor.permissions).toMatchObject([
      {
        sessionId,
        toolCall: { kind: "edit", status: "pending", content: [diff], locations: [{ path: file }] },
        options: [
          { optionId: "approve", kind: "allow_once" },
          { optionId: "reject", kind: "reject_once" },
        ],
      },
    ]);
    const ends = editor.updates.filter((update) => update.sessionUpdate === "tool_call_update");
    expect(ends).toContainEqual(expect.objectContaining({ content: expect.arrayContaining([diff]) }));
    expect(ends).toContainEqual(expect.objectContaining({ status: "completed", rawOutput: "hello\n" }));
    expect(Math.max(...editor.raw.map(({ message }) => JSON.stringify(message).length))).toBeLessThan(60_000);
    const kinds = editor.updates.map(({ sessionUpdate }) => sessionUpdate);
    expect(kinds).toContain("plan");
    expect(editor.updates.find((update) => update.sessionUpdate === "session_info_update")).toMatchObject({
      title: "hello shell write plan think cost loud",
    });
    expect(editor.updates.findLast((update) => update.sessionUpdate === "usage_update")).toMatchObject({
      cost: { amount: 0.25, currency: "USD" },
    });
    for (const { _meta } of editor.notifications) {
      expect(_meta?.["spoor/event"]).toMatchObject({ runId: expect.any(String), sequence: expect.any(Number) });
    }

    // The same session goes on, and what it costs is counted together.
    editor.forget();
    await expect(prompt("again cost")).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(editor.said).toBe("Heard again.Counted.");
    expect(editor.updates.findLast((update) => update.sessionUpdate === "usage_update")).toMatchObject({
      cost: { amount: 0.5, currency: "USD" },
    });
    expect(await editor.quit()).toBe(0);
  });

  test("can be refused, fail, be queued and hold files, and each gets exactly one response", async () => {
    const place = createAcpPlace();
    const { editor, session, sessionId, prompt } = await openEditor(place, { onPermission: reject });
    await expect(prompt("ask bye")).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(editor.said).toMatch(/refused: .*Heard bye\.$/);
    await expect(prompt("crash")).rejects.toMatchObject({ code: -32603, data: { code: "agent_crash" } });

    editor.forget();
    const both = [prompt("one"), prompt("two")];
    await expect(Promise.all(both)).resolves.toMatchObject([{ stopReason: "end_turn" }, { stopReason: "end_turn" }]);
    expect(editor.said).toBe("Heard one.Heard two.");

    editor.forget();
    await editor.agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "see" },
        { type: "resource_link", uri: `file://${place.cwd}/a.txt`, name: "a.txt" },
        { type: "resource", resource: { uri: "file:///b.txt", text: "content-of-b" } },
      ],
    });
    expect(editor.said).toContain(`Heard [a.txt](${place.cwd}/a.txt).`);
    expect(editor.said).toContain("Heard content-of-b.");
    const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
    for (const blocks of [[image], []]) {
      await expect(editor.agent.request("session/prompt", { sessionId, prompt: blocks })).rejects.toMatchObject({
        code: -32602,
      });
    }
    await expect(promptOf(editor, session, "x".repeat(20_000_000))).rejects.toMatchObject({ code: -32602 });
    const key = ["sk-ant", "api03-abcdefghijklmnopqrstuvwxyz0123456789"].join("-");
    await expect(prompt(`use ${key}`)).rejects.toMatchObject({ message: expect.stringContaining("holds a secret") });

    const responses = editor.raw.filter(({ from, message }) => from === "agent" && message.method === undefined);
    const ids = responses.map(({ message }) => message.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("goes to the agent with the model and the mode that were chosen, also after a restart", async () => {
    const place = createAcpPlace();
    const { editor, sessionId } = await openEditor(place, { args: ["--approve", "deny"] });
    const set = (configId: string, value: string) =>
      editor.agent.request("session/set_config_option", { sessionId, configId, value });
    const { configOptions } = await set("mode", "auto");
    expect(configOptions.map(({ id }) => id)).toEqual(["agent", "model", "mode"]);
    expect(chosen(configOptions, "mode")).toBe("auto");
    await expect
      .poll(() => editor.updates)
      .toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "auto" });
    await editor.agent.request("session/set_mode", { sessionId, modeId: "deny" });
    await expect
      .poll(() => editor.updates.findLast((update) => update.sessionUpdate === "config_option_update"))
      .toMatchObject({ configOptions: expect.arrayContaining([expect.objectContaining({ currentValue: "deny" })]) });
    const switched = await set("agent", "loop");
    expect(chosen(switched.configOptions, "model")).toBe("demo/tour");
    for (const [id, value] of [
      ["mode", "everything"],
      ["agent", "codex"],
      ["colour", "red"],
    ] as const) {
      await expect(set(id, value)).rejects.toMatchObject({ code: -32602 });
    }
    await set("agent", "claude");
    await editor.quit();

    // Nobody has asked anything yet, so no list shows the session, but it can be loaded.
    const later = await startEditor(place);
    expect((await later.agent.request("session/list", {})).sessions).toEqual([]);
    const loaded = await later.agent.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] });
    expect(loaded.modes?.currentModeId).toBe("deny");
    expect(chosen(loaded.configOptions, "agent")).toBe("claude");
    await expect(promptOf(later, { sessionId }, "ask")).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(later.permissions).toEqual([]);
    expect(later.said).toContain("refused");
  });

  test("keeps the mode if another one cannot be saved", async () => {
    const place = createAcpPlace();
    const { editor, sessionId, prompt } = await openEditor(place, { onPermission: reject });
    const folder = path.join(place.data, "acp-sessions");
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "");
    await expect(editor.agent.request("session/set_mode", { sessionId, modeId: "auto" })).rejects.toMatchObject({
      message: expect.stringContaining("The session cannot be saved"),
      data: { code: "write_failed" },
    });
    await prompt("ask");
    expect(editor.permissions).toHaveLength(1);
  });

  test("may lead to a question, which is a form if the editor shows forms, and words if not", async () => {
    const place = createAcpPlace();
    const onQuestion = async () => ({ action: "accept" as const, content: { answer: "green" } });
    const { editor, prompt } = await openEditor(place, { onQuestion, capabilities: { elicitation: { form: {} } } });
    await expect(prompt("question")).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(editor.said).toContain("green");
    await editor.quit();

    const other = await openEditor(place);
    const asked = other.prompt("question");
    await expect.poll(() => other.editor.said, { timeout: 20_000 }).toMatch(/spoor answer run_\w+/);
    await other.editor.agent.notify("session/cancel", { sessionId: other.sessionId });
    await expect(asked).resolves.toMatchObject({ stopReason: "cancelled" });
    expect(other.editor.raw.some(({ message }) => message.method === "elicitation/create")).toBe(false);
  });

  test("passes the editor's MCP servers on to the agent, and says which are left out and why", async () => {
    const place = createAcpPlace();
    const editor = await startEditor(place);
    const { sessionId } = await editor.agent.request("session/new", {
      cwd: place.cwd,
      mcpServers: [
        { name: "notes server", command: "/bin/notes", args: ["--here"], env: [] },
        { type: "http", name: "docs", url: "https://docs.example", headers: [] },
        { name: "secret", command: "/bin/x", args: [], env: [{ name: "API_KEY", value: "abcdefgh12345678" }] },
      ],
    });
    await promptOf(editor, { sessionId }, "servers");
    expect(editor.said).toMatch(/left out:\n- secret: .*looks like a secret/);
    expect(editor.said).toContain("notes_server docs");
  });
});
