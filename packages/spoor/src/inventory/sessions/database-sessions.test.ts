import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { zstdCompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { privateHome } from "../../../testing/run/private-home.ts";
import { homeWithSessions } from "../../../testing/sessions/home-with-sessions.ts";
import { leaveDatabase } from "../../../testing/sessions/leave-database.ts";
import { claude } from "../../agents/claude/index.ts";
import { openclaw } from "../../agents/openclaw/index.ts";
import { opencode } from "../../agents/opencode/index.ts";
import { openFile } from "../../log/sqlite/driver.ts";
import { createSessions } from "./sessions.ts";

const store = ".local/share/opencode/opencode.db";
const FIRST = "ses_e21a29cc7ffebvgsF8JdASAmyC";
const HELPED = "ses_e21a24be6ffeEzMLc1vCwY2Swz";
const HELPER = "ses_e21a243e5ffep2X10mIDB5NhUL";

const tables = `
  CREATE TABLE session (id, parent_id, directory, title, model, time_created, time_updated);
  CREATE TABLE message (id, session_id, time_created, data);
  CREATE TABLE part (id, message_id, data);`;
const insertSession = (session: string, parent = "NULL", text = "Hello") => `
  INSERT INTO session VALUES ('${session}', ${parent}, '/work', '', NULL, 1000, 2000);
  INSERT INTO message VALUES ('m-${session}', '${session}', 1000, '{"role":"user"}');
  INSERT INTO part VALUES ('p', 'm-${session}', '{"type":"text","text":"${text}"}');`;

function homeWith(statements: string) {
  const home = privateHome();
  leaveDatabase(home.at(store), tables + statements, { withLog: true });
  return home;
}

it("distinguishes prompts, thinking, tool calls and results of OpenCode", async () => {
  const sessions = createSessions({ adapters: [opencode], ...homeWithSessions([opencode]) });
  const { messages, cost } = await sessions.get(FIRST);
  expect(messages).toMatchObject([
    { role: "user", text: '"Do the thing"' },
    { role: "assistant", text: "I run it.", thinking: "I think of it.", toolCalls: [{ toolName: "bash" }] },
    { role: "tool", text: "out\nmore\n", toolResult: { isError: false } },
    { role: "assistant", text: "It ran.", model: "scripted-model" },
    { role: "user", text: '"And again"' },
    { role: "assistant", text: "I remember." },
  ]);
  expect(cost).toMatchObject({ inputTokens: 300, outputTokens: 30, thinkingTokens: 4, cachedTokens: 40 });
  expect(cost).toMatchObject({ source: "agent_reported", totalUsd: expect.closeTo(0.00032, 8) });
});

it("lists an OpenClaw session under the id that resumes it", async () => {
  const sessions = createSessions({ adapters: [openclaw], ...homeWithSessions([openclaw]) });
  expect((await sessions.list()).map(({ id, title }) => [id, title])).toEqual([
    ["openclaw:9e4951cb-f917-404a-ae21-34646cd3c433", "Ask a helper"],
    ["openclaw:3667b1d9-c7e1-4c72-9703-ef92593f35f1", "Do the thing"],
  ]);
  const { messages, cost } = await sessions.get("3667b1d9-c7e1-4c72-9703-ef92593f35f1");
  expect(messages.map(({ text }) => text)).toEqual([
    "Do the thing",
    "I run it.",
    "out\nmore",
    "It ran.",
    "And again",
    "I remember.",
  ]);
  expect(cost).toMatchObject({ inputTokens: 300, outputTokens: 30, thinkingTokens: 4, cachedTokens: 40 });
});

it("reads compressed entries of OpenClaw", async () => {
  const home = homeWithSessions([openclaw]);
  const database = openFile(home.at(".openclaw/agents/main/agent/openclaw-agent.sqlite"));
  const pack = database.prepare(
    "UPDATE transcript_events SET event_json = NULL, event_zstd = ?, event_utf8_bytes = 1 WHERE rowid = ?",
  );
  database.exec("PRAGMA foreign_keys = off; PRAGMA ignore_check_constraints = on;");
  const all = database.prepare("SELECT rowid, event_json FROM transcript_events ORDER BY seq").all();
  // One of them is truncated.
  for (const [at, { rowid, event_json }] of all.entries()) {
    pack.run(zstdCompressSync(String(event_json)).subarray(0, at === all.length - 1 ? 9 : undefined), rowid ?? null);
  }
  database.close();
  const sessions = createSessions({ adapters: [openclaw], ...home });
  const { messages, notes } = await sessions.get("3667b1d9-c7e1-4c72-9703-ef92593f35f1");
  expect(messages.slice(0, 4).map(({ text }) => text)).toEqual(["Do the thing", "I run it.", "out\nmore", "It ran."]);
  expect(notes).toEqual(["1 of its records could not be read."]);
});

it("counts the usage of subagents, even when their main session was deleted, and does not list them", async () => {
  const home = homeWithSessions([opencode]);
  const helped = createSessions({ adapters: [opencode], ...home });
  expect((await helped.list()).map(({ nativeId }) => nativeId)).not.toContain(HELPER);
  expect((await helped.get(HELPED)).cost.outputTokens).toBe(40);
  const database = openFile(home.at(store));
  database.exec(`PRAGMA foreign_keys = off; DELETE FROM session WHERE id = '${HELPED}'`);
  database.close();
  const alone = createSessions({ adapters: [opencode], ...home });
  expect(await alone.list()).toHaveLength(3);
  expect((await alone.totalCost()).cost.outputTokens).toBe(80);
});

it("reads the transcripts that OpenClaw wrote to files before it had a database", async () => {
  const line = (record: object) => `${JSON.stringify(record)}\n`;
  const home = privateHome({
    ".openclaw/agents/main/sessions/old.jsonl":
      line({ type: "session", id: "old", timestamp: "2026-01-01T00:00:00Z", cwd: "/work" }) +
      line({ type: "message", id: "a", parentId: null, message: { role: "user", content: "Before" } }),
  });
  expect(await createSessions({ adapters: [openclaw], ...home }).list()).toMatchObject([{ title: "Before" }]);
});

it("names the missing columns of an unknown database, and reads the sessions of other agents", async () => {
  const home = privateHome({
    ".claude/projects/p/s.jsonl": `${JSON.stringify({ type: "user", message: { content: "Here" } })}\n`,
  });
  leaveDatabase(home.at(store), "CREATE TABLE session (id, title);", { withLog: true });
  const sessions = createSessions({ adapters: [opencode, claude], ...home });
  const problem =
    /could not be read: the database has no session\.parent_id, .*part\.data, which version [\d.]+ of the agent writes/;
  for (const ask of [
    () => sessions.list("opencode"),
    () => sessions.get("opencode:x"),
    () => sessions.totalCost({ agent: "opencode" }),
  ]) {
    await expect(ask()).rejects.toMatchObject({ code: "CAPABILITY_ERROR", message: expect.stringMatching(problem) });
  }
  const listed = await sessions.list();
  expect(listed.map(({ title, notes }) => [title, notes?.length]).sort()).toEqual([
    ["", 1],
    ["Here", undefined],
  ]);
  expect((await sessions.totalCost()).notes).toHaveLength(1);
});

it.each(["", "no database at all, however long it is made to be".repeat(50)])(
  "reports a file that is not a database",
  async (text) => {
    const home = privateHome({ [store]: text });
    await expect(createSessions({ adapters: [opencode], ...home }).list("opencode")).rejects.toThrow(
      /could not be read/,
    );
  },
);

it("accepts any values in the rows", async () => {
  const home = homeWith(`
    ${insertSession("whole")} ${insertSession("circle", "'other'")} ${insertSession("other", "'circle'")}
    INSERT INTO session VALUES (NULL, 7, x'00', 3, '{', 'soon', 2000), ('odd', NULL, NULL, NULL, '[]', NULL, 2000);
    INSERT INTO message VALUES ('a', 'odd', 'x', '{"role":'), ('b', 'odd', 2, x'ff00'), ('c', 'odd', 3, NULL);
    INSERT INTO part VALUES (1, 'a', '{"type":"tool","state":3}'), (2, 'b', '[]'), (3, 'b', NULL);`);
  const sessions = createSessions({ adapters: [opencode], ...home });
  expect((await sessions.list()).map(({ nativeId }) => nativeId).sort()).toContain("whole");
  expect((await sessions.get("odd")).messages).toHaveLength(3);
  expect((await sessions.totalCost()).cost.inputTokens).toBe(0);
});

it("leaves out what the agent adds to a prompt", async () => {
  const home = homeWith(`
    ${insertSession("s", "NULL", "Meant")}
    INSERT INTO part VALUES ('q', 'm-s', '{"type":"text","text":"Added","synthetic":true}');
    INSERT INTO message VALUES ('n', 's', 3000, '{"role":"user"}');
    INSERT INTO part VALUES ('r', 'n', '{"type":"text","text":"Go on","synthetic":true}');`);
  expect((await createSessions({ adapters: [opencode], ...home }).get("s")).messages).toMatchObject([
    { role: "user", text: "Meant" },
    { role: "system", text: "Go on" },
  ]);
});

it("watches sessions in a database being added, changed and removed", async () => {
  const home = homeWith(insertSession("before"));
  const stop = new AbortController();
  const change = (statements: string) => {
    const database = openFile(home.at(store));
    database.exec(statements);
    database.close();
  };
  let made = 0;
  const making = setInterval(() => change(insertSession(`new-${made++}`)), 100);
  const kinds: string[] = [];
  let name = "";
  const sessions = createSessions({ adapters: [opencode], ...home });
  for await (const { kind, session } of sessions.watch({ agent: "opencode", signal: stop.signal, intervalMs: 50 })) {
    clearInterval(making);
    name ||= session.nativeId;
    if (session.nativeId !== name) continue;
    kinds.push(kind);
    if (kind === "added") change(`UPDATE session SET time_updated = 3000 WHERE id = '${name}'`);
    if (kind === "changed") change(`DELETE FROM session WHERE id = '${name}'`);
    if (kind === "removed") stop.abort();
  }
  expect(kinds).toEqual(["added", "changed", "removed"]);
});

it("shows the error of a failed answer, unless the answer has text", async () => {
  const failed = `{"role":"assistant","error":{"name":"APIError","data":{"message":"Too much"}}}`;
  const home = homeWith(`
    ${insertSession("s")}
    INSERT INTO message VALUES ('n', 's', 3000, '${failed}'), ('o', 's', 4000, '${failed}');
    INSERT INTO part VALUES ('q', 'o', '{"type":"text","text":"I be"}'), ('r', 'o', '{"type":"text","text":"gin"}');`);
  const { messages } = await createSessions({ adapters: [opencode], ...home }).get("s");
  expect(messages.map(({ text }) => text)).toEqual(["Hello", "Too much", "I be\ngin"]);
});

it.skipIf(process.platform === "win32")("follows a link to the database", async () => {
  const home = homeWith(insertSession("one"));
  for (const end of ["", "-wal", "-shm"]) renameSync(home.at(`${store}${end}`), home.at(`elsewhere.sqlite${end}`));
  symlinkSync(home.at("elsewhere.sqlite"), home.at(store));
  expect(await createSessions({ adapters: [opencode], ...home }).list()).toMatchObject([{ nativeId: "one" }]);
});

it("reads the good databases of several, and reports the bad one", async () => {
  const home = homeWithSessions([openclaw]);
  home.write(".openclaw/agents/other/agent/openclaw-agent.sqlite", "no database".repeat(100));
  const listed = await createSessions({ adapters: [openclaw], ...home }).list("openclaw");
  expect(listed).toHaveLength(3);
  expect(listed.filter(({ notes }) => notes !== undefined)).toHaveLength(1);
});

it("sees what the agent wrote since the last call", async () => {
  const home = homeWith(insertSession("one"));
  const sessions = createSessions({ adapters: [opencode], ...home });
  expect(await sessions.list()).toHaveLength(1);
  leaveDatabase(home.at(store), tables + insertSession("one") + insertSession("two"), { withLog: true });
  expect(await sessions.list()).toHaveLength(2);
  writeFileSync(home.at(`${store}-wal`), "");
  await expect(sessions.list("opencode")).rejects.toThrow(/the database has no session\.id/);
});
