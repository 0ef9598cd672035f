import { readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { taskJson } from "../../log/record-json.ts";
import { createAndStart, createTask, readSpec } from "../../runtime/tasks/index.ts";
import { ExitError } from "../exit-error.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { handOver, withTasks } from "../running/with-tasks.ts";

export interface NewTaskOptions extends DataOption {
  spec?: string;
  title?: string;
  priority?: number;
  cwd: string;
  mode?: string;
  base?: string;
  share?: true;
  timeout?: number;
  model?: string;
  approve?: string;
  rule?: string[];
  env?: string[];
  content?: string;
  command?: readonly string[];
  start?: true;
  json?: true;
}

/** `spoor task new`: creates a task from words and flags, or from a file with the whole specification. */
export async function newTask(words: readonly string[], options: NewTaskOptions, io: Io): Promise<void> {
  const given =
    options.spec === undefined ? await specFromWords(words, options, io) : readSpecFile(options.spec, words);
  const spec = readSpec(withoutUndefined(given));
  await withTasks(options, async (context) => {
    if (options.start) return handOver(context, await createAndStart(context, spec), options, io);
    const task_id = await createTask(context, spec);
    const task = await context.log.task(task_id);
    if (options.json && task) printJson(io.stdout, taskJson(task));
    else io.stdout.write(`${task_id} is created. Start it with \`spoor start ${task_id}\`.\n`);
  });
}

async function specFromWords([kind, ...words]: readonly string[], options: NewTaskOptions, io: Io) {
  const what = byKind[kind ?? ""];
  if (!what) {
    const known = Object.keys(byKind).join(", ");
    throw new ExitError(
      2,
      `The kind of the task is ${kind === undefined ? "missing" : `"${terminalSafe(kind)}"`}: it must be one of ${known}.`,
    );
  }
  const { mode, base, share, cwd } = options;
  return {
    kind,
    ...(await what(words, options, io)),
    title: options.title,
    priority: options.priority,
    timeout_ms: options.timeout,
    model: options.model,
    approve: options.approve,
    policy: options.rule,
    env: options.env && Object.fromEntries(options.env.map(variableOf)),
    agent_command: options.command,
    workspace: withoutUndefined({ mode, path: path.resolve(cwd), base, share }),
  };
}

type Words = (words: readonly string[], options: NewTaskOptions, io: Io) => object | Promise<object>;

const byKind: Readonly<Record<string, Words>> = {
  agent([agent, ...prompt]) {
    return { agent, prompt: prompt.length === 0 ? undefined : prompt.join(" ") };
  },
  agent_loop: (words) => ({ prompt: words.length === 0 ? undefined : words.join(" ") }),
  shell: (words) => ({ command: words.length === 0 ? undefined : words.join(" ") }),
  git: (words) => ({ command: words.length === 0 ? undefined : words }),
  async file([operation, file], { content }, io) {
    const isText = operation === "write" || operation === "append";
    return { operation, path: file, content: isText ? (content ?? (await text(io.stdin))) : content };
  },
};

function readSpecFile(file: string, words: readonly string[]): object {
  if (words.length > 0) throw new ExitError(2, "There are two tasks: the words and --spec. Leave one out.");
  try {
    return JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8")) as object;
  } catch (error) {
    throw new ExitError(2, `--spec cannot read ${terminalSafe(file)}: ${terminalSafe((error as Error).message)}`);
  }
}

function variableOf(pair: string): [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined || value === undefined)
    throw new ExitError(2, `--env ${terminalSafe(pair)} must be NAME=value, or NAME='$VARIABLE' for a secret.`);
  return [name, value];
}

const withoutUndefined = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
