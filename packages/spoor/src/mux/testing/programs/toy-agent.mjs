// A toy agent for tests of the run handle. Its wire is a line of JSON per fact; prompts tell it what to play:
//   say WORDS, ask, question, loop, crash CODE, hang, many N, turns N, stderr, env NAME
import { createInterface } from "node:readline";

const print = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);
const waiting = new Map();
let interrupted = false;

print({ session: "toy-session" });
const lines = createInterface({ input: process.stdin });
let work = Promise.resolve();
lines.on("line", (line) => {
  const frame = JSON.parse(line);
  if (frame.answer) waiting.get(frame.answer)?.(frame);
  else if (frame.interrupt) interrupted = true;
  else if (frame.prompt) work = work.then(() => play(frame.prompt));
});
lines.on("close", () => work.then(() => process.exit(0)));

async function play(prompt) {
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
  async turns(count) {
    for (let n = 0; n < Number(count); n++) {
      print({ call: true });
      print({ say: `${n}` });
      await pause(20);
    }
  },
  async env(name) {
    print({ call: true });
    print({ say: process.env[name] ?? "not there" });
  },
};
