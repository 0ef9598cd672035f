import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openLog } from "../../src/log/open.ts";
import { MODEL } from "../loop/loop-server.ts";
import { serveModel, type WireMessage } from "../loop/model-server.ts";
import type { ScriptedTurn } from "../loop/scripted-model.ts";
import { allow, openEditor, promptOf, startEditor } from "./editor.ts";
import { createAcpPlace } from "./place.ts";

const settled = { timeout: 30_000 };

/** What the model of these tests does, by the last thing it was told. */
function scripted(messages: WireMessage[]): ScriptedTurn {
  const { role, content } = messages.at(-1) ?? { role: "user", content: "" };
  if (role === "tool") return { text: `It said: ${content}.` };
  const file = /^Write (\S+)/.exec(content ?? "")?.[1];
  if (file !== undefined)
    return { text: "I write it.", calls: [{ name: "file_write", input: { path: file, content: "x\n" } }] };
  if (content === "Hang.") return { text: "One moment.", hangs: true };
  const told = messages.filter((message) => message.role === "user").map((message) => message.content);
  return { text: `You said: ${told.join(" ")}` };
}

describe("our own loop in an editor", { timeout: 90_000 }, () => {
  test("thinks, plans, writes files with diffs, runs commands and asks a subagent", async () => {
    const place = createAcpPlace();
    const args = ["--agent", "loop", "--model", "demo/tour", "--record-thinking"];
    const { editor, prompt } = await openEditor(place, { onPermission: allow, args });
    await expect(prompt("Write a greeting program.")).resolves.toMatchObject({ stopReason: "end_turn" });

    expect(editor.said).toMatch(/^I will write a small greeting program .* can be looked at and undone\.$/);
    expect(editor.texts("agent_thought_chunk").join("")).toContain("A greeting is a small program.");
    const plans = editor.updates.filter((update) => update.sessionUpdate === "plan");
    expect(plans.map(({ entries }) => entries.map(({ status }) => status))).toEqual([
      ["in_progress", "pending", "pending"],
      ["completed", "completed", "completed"],
    ]);
    const file = path.join(place.cwd, "greet.sh");
    const asked = editor.permissions.map(({ toolCall }) => toolCall);
    expect(asked.map(({ title }) => title)).toEqual([
      ...["file_write greet.sh", "file_write test.sh", "sh test.sh", "file_edit greet.sh", "sh test.sh"],
    ]);
    const after = readFileSync(file, "utf8");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a shell script.
    const oldText = after.replace("${1:-world}", "$1");
    expect(asked[3]).toMatchObject({
      locations: [{ path: file }],
      content: [{ type: "diff", path: file, oldText, newText: after }, {}],
    });
    const ends = editor.updates.flatMap((update) =>
      update.sessionUpdate === "tool_call_update" && update.status === "completed" ? [update] : [],
    );
    // Seven calls of the agent, and one of its subagent, each of which ends once.
    expect(new Set(ends.map(({ toolCallId }) => toolCallId)).size).toBe(ends.length);
    expect(ends).toHaveLength(8);
    expect(ends).toContainEqual(expect.objectContaining({ rawOutput: "ok: Hello, world!\n" }));
    for (const { _meta } of editor.notifications) {
      expect(_meta?.["spoor/event"]).toMatchObject({ runId: expect.any(String), sequence: expect.any(Number) });
    }
  });

  test("goes on with a conversation after another agent", async () => {
    const model = await serveModel(scripted);
    const place = createAcpPlace();
    Object.assign(place.env, model.environment);
    const args = ["--agent", "loop", "--model", MODEL];
    const { editor, sessionId, prompt } = await openEditor(place, { args });
    for (const agent of ["loop", "claude", "loop"]) {
      await editor.agent.request("session/set_config_option", { sessionId, configId: "agent", value: agent });
      await expect(prompt("hello")).resolves.toMatchObject({ stopReason: "end_turn" });
    }
    const log = await openLog({ directory: place.data });
    const { runs } = await log.runs({ task_id: sessionId });
    await log.close();
    const own = runs.filter(({ parent_run_id }) => parent_run_id === undefined);
    expect(own.map(({ kind, agent }) => [kind, agent])).toEqual([
      ["agent_loop", "loop"],
      ["agent", "claude"],
      ["agent_loop", "loop"],
    ]);
  });

  test("is refused and cancelled, goes on with its conversation, and asks again after the editor was killed", async () => {
    const model = await serveModel(scripted);
    const place = createAcpPlace();
    Object.assign(place.env, model.environment);
    const args = ["--agent", "loop", "--model", MODEL];
    const answers = ["reject", "approve"];
    const { editor, sessionId, prompt } = await openEditor(place, {
      args,
      onPermission: async () => {
        const optionId = answers.shift();
        return optionId === undefined ? new Promise(() => {}) : { outcome: { outcome: "selected", optionId } };
      },
    });
    await expect(prompt("Write no.txt")).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(editor.said).toMatch(/It said: .*reject/);
    await expect(prompt("Write yes.txt")).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(["no.txt", "yes.txt"].map((name) => existsSync(path.join(place.cwd, name)))).toEqual([false, true]);
    await expect(prompt("And now?")).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(editor.said).toMatch(/You said: Write no\.txt Write yes\.txt And now\?$/);

    const hanging = prompt("Hang.");
    await expect.poll(() => model.requests.at(-1)?.at(-1)?.content, settled).toBe("Hang.");
    await editor.agent.notify("session/cancel", { sessionId });
    await expect(hanging).resolves.toMatchObject({ stopReason: "cancelled" });

    const lost = prompt("Write late.txt").catch(() => "lost");
    await expect.poll(() => editor.permissions.length, settled).toBe(3);
    await editor.kill();
    await expect(lost).resolves.toBe("lost");
    const later = await startEditor(place, { onPermission: allow });
    await later.agent.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] });
    expect(later.texts("user_message_chunk")).toEqual([
      ...["Write no.txt", "Write yes.txt", "And now?", "Hang.", "Write late.txt"],
    ]);
    await expect.poll(() => later.said, settled).toMatch(/I write it\.It said: late\.txt: new file[^.]*\.$/);
    expect(later.permissions).toHaveLength(1);
    expect(existsSync(path.join(place.cwd, "late.txt"))).toBe(true);
    await expect(promptOf(later, { sessionId }, "Done?")).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(later.said).toMatch(/You said: .*Write late\.txt Done\?$/);
  });
});
