// A toy agent for tests. Its dialect is one JSON object per line; the prompt says what the agent does:
//   say WORDS, ask, question, loop, crash CODE, kill, hang, many N, floods N FILE, turns N, stderr, env NAME, attached, resumed,
//   spends USD N: N turns that cost so much each, uses TOKENS N MODEL COST: N turns with so many tokens, and a cost at the end
//   (both with a last word `waits`: then waits until it is interrupted),
//   stubborn USD: spends so much in each turn until it is killed,
//   crashes N, doubts N, limited N MS, hangs N: fails the first N times it is started; the file TOY_STATE counts the starts.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

// Ends by itself if its test was killed.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const print = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);
const waiting = new Map();
let interrupted = false;

const before = count();
print({ session: before > 0 ? `toy-session-${before + 1}` : "toy-session" });
const lines = createInterface({ input: process.stdin });
let work = Promise.resolve();
lines.on("line", (line) => {
  const frame = JSON.parse(line);
  if (frame.answer) waiting.get(frame.answer)?.(frame);
  else if (frame.interrupt) interrupted = true;
  else if (frame.prompt) work = work.then(() => play(frame.prompt, frame));
});
lines.on("close", () => work.then(() => process.exit(0)));

/** Counts how often it was started before. */
function count() {
  const file = process.env.TOY_STATE;
  if (!file) return 0;
  let starts = "";
  try {
    starts = readFileSync(file, "utf8");
  } catch {}
  writeFileSync(file, `${starts}.`);
  return starts.length;
}

let given = {};

async function play(prompt, frame) {
  given = frame;
  const [word, ...rest] = prompt.split(" ");
  await (plays[word] ?? plays.say)(...rest);
  print({ done: interrupted ? "interrupted" : "ok" });
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const ask = (id, frame) => {
  print(frame);
  return new Promise((resolve) => waiting.set(id, resolve));
};

const plays = {
  async say(...words) {
    print({ call: true });
    for (const word of words) print({ say: `${word} ` });
  },
  async ask() {
    print({ call: true });
    print({ tool: "t1", command: "rm -rf dist" });
    const { granted, text } = await ask("q1", { ask: "q1", tool: "t1", command: "rm -rf dist" });
    if (granted) print({ end: "t1", exit: 0 });
    else print({ end: "t1", error: text });
  },
  async question() {
    print({ call: true });
    const { text } = await ask("q1", { question: "q1", text: "Which one?" });
    print({ say: text });
  },
  async loop() {
    print({ call: true });
    for (let n = 0; !interrupted; n++) {
      print({ say: `${n} ` });
      await pause(5);
    }
  },
  async crash(code) {
    process.stderr.write("about to fail\n");
    process.exit(Number(code));
  },
  async kill() {
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => setInterval(() => {}, 1000));
  },
  async hang() {
    print({ call: true });
    print({ say: "hanging" });
    process.on("SIGINT", () => {});
    await new Promise(() => setInterval(() => {}, 1000));
  },
  async many(count) {
    print({ call: true });
    for (let n = 0; n < Number(count); n++) {
      if (!process.stdout.write(`${JSON.stringify({ say: "x".repeat(100) })}\n`)) {
        await new Promise((resolve) => process.stdout.once("drain", resolve));
      }
    }
  },
  async floods(count, file) {
    await plays.many(count);
    writeFileSync(file, "");
  },
  async turns(count) {
    for (let n = 0; n < Number(count); n++) {
      print({ call: true });
      print({ say: `${n}` });
      await pause(20);
    }
  },
  async spends(usd, count, then) {
    for (let n = 1; n <= Number(count); n++) {
      print({ call: "toy-model" });
      print({ say: `${n}` });
      print({ cost: Number((Number(usd) * n).toFixed(6)) });
    }
    while (then === "waits" && !interrupted) await pause(5);
  },
  async uses(tokens, count, model, cost) {
    for (let n = 1; n <= Number(count); n++) {
      print({ call: model });
      print({ say: `${n}` });
      print({ tool: `t${n}`, command: "ls" });
      print({ tokens: Number(tokens) });
      print({ end: `t${n}`, exit: 0 });
    }
    while (cost === "waits" && !interrupted) await pause(5);
    if (cost && cost !== "waits") print({ cost: Number(cost) });
  },
  async stubborn(usd) {
    process.on("SIGINT", () => {});
    for (let n = 1; ; n++) {
      print({ call: "toy-model" });
      print({ cost: Number(usd) * n });
      await pause(30);
    }
  },
  async crashes(times) {
    await plays.say(`try${before + 1}`);
    print({ cost: 1 });
    if (before < Number(times)) {
      print({ tool: "t1", command: "make" });
      process.stdout.write("", () => process.exit(7));
      await new Promise(() => {});
    }
  },
  async doubts(times) {
    if (before >= Number(times)) return plays.say("sure");
    print({ call: true });
    print({ question: "q1", text: "Which one?" });
    process.stdout.write("", () => process.exit(7));
    await new Promise(() => {});
  },
  async limited(times, milliseconds) {
    if (before < Number(times)) print({ limit: Number(milliseconds) });
    else await plays.say("through");
  },
  async hangs(times) {
    if (before < Number(times)) await plays.hang();
    else await plays.say("awake");
  },
  async attached() {
    await plays.say(...(given.attachments ?? []).map(({ name, mimeType, base64 }) => `${name}:${mimeType}:${base64}`));
  },
  async resumed() {
    if (!given.resume) process.exit(3);
    await plays.say("resumed", given.resume);
  },
  async env(name) {
    print({ call: true });
    print({ say: process.env[name] ?? "not there" });
  },
};
