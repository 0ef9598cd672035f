// An ACP agent for tests. Its prompt is a list of steps as JSON, played in order:
//   { "update": fields }, { "say": text }, { "raw": line }, { "notify": method, "params" }, { "stop": reason }, { "exit": n },
//   { "ask": method, "params" } waits for the answer, { "send": method, "params" } does not; { "reap": true } waits for
//   the answers to what was sent. "$terminal" in params is the terminal that was created last. { "report": true } prints
//   the answers so far, as JSON. { "hang": true } waits for session/cancel.
// Its first argument, JSON too, has answers to give in place of the usual ones, by method: a result, { "error": … }, or
// null; and `before` and `after`, lists of updates to send around the answer to a session/load.
import { createInterface } from "node:readline";

// Ends by itself, so that it does not outlive an aborted test for long.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const answers = JSON.parse(process.argv[2] ?? "{}");
const print = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const waiting = new Map();
const seen = [];
const sent = [];
let requests = 0;
let terminal;
let cancel = () => {};
const cancelled = new Promise((resolve) => {
  cancel = resolve;
});

const usual = {
  initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
  "session/new": { sessionId: "s1" },
  "session/load": {},
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, ...answer } = JSON.parse(line);
  if (method === "session/cancel") cancel();
  else if (method === undefined) waiting.get(id)?.(answer);
  else if (method === "session/prompt") print({ id, result: { stopReason: await play(params.prompt) } });
  else if (id !== undefined) {
    if (method === "session/load") for (const fields of answers.before ?? []) update(fields);
    const given = method in answers ? answers[method] : usual[method];
    if (given?.error) print({ id, error: given.error });
    else if (given === undefined) print({ id, error: { code: -32601, message: `No ${method}` } });
    else print({ id, result: given });
    if (method === "session/load") for (const fields of answers.after ?? []) update(fields);
  }
  seen.push({ method, params });
});

const update = (fields) => print({ method: "session/update", params: { sessionId: "s1", update: fields } });
const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

function request(method, params) {
  const id = requests++;
  const filled = JSON.parse(JSON.stringify({ sessionId: "s1", ...params }).replaceAll("$terminal", terminal));
  const answered = new Promise((resolve) => waiting.set(id, resolve));
  print({ id, method, params: filled });
  return answered.then((answer) => {
    terminal = answer.result?.terminalId ?? terminal;
    return answer;
  });
}

async function play(prompt) {
  const told = [];
  for (const step of JSON.parse(prompt[0].text)) {
    if (step.update) update(step.update);
    if (step.say !== undefined) say(step.say);
    if (step.raw !== undefined) process.stdout.write(`${step.raw}\n`);
    if (step.notify) print({ method: step.notify, params: step.params });
    if (step.ask) told.push(await request(step.ask, step.params));
    if (step.send) sent.push(request(step.send, step.params));
    if (step.reap) told.push(...(await Promise.all(sent)));
    if (step.report) say(JSON.stringify(told));
    if (step.handshake) say(JSON.stringify([...seen, { method: "session/prompt", params: { prompt } }]));
    if (step.exit !== undefined) process.exit(step.exit);
    if (step.hang) await cancelled;
    if (step.stop) return step.stop;
  }
  return "end_turn";
}
