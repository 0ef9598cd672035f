import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { acolyteRoutes } from "../../../src/translators/acolyte/routes.ts";
import { historyOf } from "../../../src/translators/conversation/history.ts";
import { MODEL, serveLoop } from "../../loop/loop-server.ts";

const history = [
  { role: "assistant", content: "How can I help?" },
  { role: "user", content: "My name is Ada." },
  { role: "assistant", content: "Hello Ada." },
];
const before = [
  { role: "user", content: "(This conversation was begun elsewhere.)" },
  { role: "assistant", content: "How can I help?" },
  { role: "user", content: "My name is Ada." },
  { role: "assistant", content: "Hello Ada." },
];
const asked = { role: "user", content: "Who am I?" };
const answered = { role: "assistant", content: "You are Ada." };

it("begins the conversation of our own loop, which a retry and the next request of the session begin with too", {
  timeout: 60_000,
}, async () => {
  const s = await serveLoop(() => ({ text: "You are Ada." }), { routes: (context) => acolyteRoutes(context) });
  const token = readFileSync(path.join(s.directory, "token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  async function chat(request: object): Promise<string> {
    const body = JSON.stringify({ sessionId: "sess_ada", ...request });
    const answer = await fetch(`${s.server.url}/v1/chat/stream`, { method: "POST", headers, body });
    const said = await answer.text();
    expect(said).toContain('"output":"You are Ada."');
    return /"runId":"(\w+)"/.exec(said)?.[1] ?? "";
  }
  const lastRequest = () => s.model.requests.at(-1)?.filter(({ role }) => role !== "system");

  const options = { agent: "loop", model: MODEL, sandbox: "none", workspace: s.workspace };
  const first = await chat({ message: asked.content, history, options });
  expect(lastRequest()).toEqual([...before, asked]);
  const [message] = (await s.events(first)).filter(({ type }) => type === "user.message");
  expect(message?.data.text).toBe(asked.content);

  const { body } = await s.post(`/v1/runs/${first}/retry`, {});
  await s.ended(body.data.run_id);
  expect(lastRequest()).toEqual([...before, asked]);

  const next = await chat({ message: "Really?", history: [{ role: "user", content: "This is not used." }] });
  expect(lastRequest()).toEqual([...before, asked, answered, { role: "user", content: "Really?" }]);
  const run = await s.log.run(next);
  expect(run && (await historyOf(s.log, run)).map(({ text }) => text)).toEqual([
    ...history.map(({ content }) => content),
    ...[asked.content, answered.content, "Really?", answered.content],
  ]);
  expect(await s.findings(first, next)).toEqual([]);
});
