import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Log } from "../../src/log/log.ts";
import { builtInTools } from "../../src/loop/tools/index.ts";
import { readInput } from "../../src/loop/tools/read-input.ts";
import type { KeptContent, LoopTool, ToolContext, ToolResult } from "../../src/loop/tools/tool.ts";
import type { RunEvent } from "../../src/runtime/commit.ts";
import { loadPolicy } from "../../src/runtime/policy/index.ts";

export interface ToolboxOptions {
  /** Files of the workspace. */
  files?: Readonly<Record<string, string | Buffer>>;
  /** The user's own rules. */
  rules?: string;
  /** The rules of the task. */
  taskRules?: readonly string[];
  yolo?: boolean;
  /** The rules in the workspace. */
  projectRules?: string;
  environment?: NodeJS.ProcessEnv;
  tools?: readonly LoopTool[];
}

/** What a call did. */
export interface Called {
  result: ToolResult;
  /** Events told while it ran, then those of its result. */
  events: RunEvent[];
  kept: KeptContent[];
}

/** A temporary workspace with a data directory, in which tools can be called. */
export async function openToolbox(options: ToolboxOptions = {}) {
  const place = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-tools-")));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const [root, directory, outside] = ["work", "data", "outside"].map((name) => path.join(place, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [root, directory, outside]) mkdirSync(folder);
  const write = (name: string, content: string | Buffer) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  };
  for (const [name, content] of Object.entries(options.files ?? {})) write(name, content);
  if (options.rules) writeFileSync(path.join(directory, "policy.rules"), options.rules);
  if (options.projectRules) write(".spoor/policy.rules", options.projectRules);
  const policy = await loadPolicy({
    ...{ directory, cwd: root, home: outside, task: options.taskRules ?? [], yolo: options.yolo ?? false },
  });
  const { environment = {}, tools = builtInTools } = options;
  const find = (name: string): LoopTool => {
    const tool = tools.find((each) => each.name === name);
    if (!tool) throw new Error(`There is no tool ${name}.`);
    return tool;
  };

  async function call(name: string, input: unknown, signal = new AbortController().signal): Promise<Called> {
    const tool = find(name);
    const events: RunEvent[] = [];
    const kept: KeptContent[] = [];
    const context: ToolContext = {
      ...{ root, directory, environment, signal, callId: "call-1", run_id: "run_1", task_id: "task_1" },
      // No tool of these writes the log itself.
      log: undefined as unknown as Log,
      decide: (action) => policy.decide(action),
      controls: () => {},
      tell: ({ events: told = [] }) => void events.push(...told),
      keep: async (content) => `art_${kept.push(content)}`,
      sandbox: () => Promise.reject(new Error("These tools start no process.")),
    };
    const read = readInput(tool, input);
    if ("error" in read)
      return { result: { output: read.error, summary: read.error, error: read.error }, events, kept };
    const result = await tool.run(read.input, context);
    return { result, events: [...events, ...(result.events ?? [])], kept };
  }

  return {
    ...{ root, directory, outside, policy, call, write },
    /** The output of a call that must succeed. */
    async output(name: string, input: unknown): Promise<string> {
      const { result } = await call(name, input);
      if (result.error !== undefined) throw new Error(result.error);
      return result.output;
    },
    /** The error of a call that must fail. */
    async error(name: string, input: unknown): Promise<string> {
      const { result } = await call(name, input);
      if (result.error === undefined) throw new Error(`It did not fail: ${result.output}`);
      return result.error;
    },
    actions: (name: string, input: Record<string, unknown>) => find(name).actions(input, { root, environment }),
    describe: (name: string, input: Record<string, unknown>) => find(name).describe?.(input, { root, environment }),
    read: (name: string) => readFileSync(path.join(root, name), "utf8"),
    /** All files of the workspace with their contents, temporary ones too. */
    tree: (folder = root): Record<string, string> => filesIn(folder, ""),
  };
}

/** Links are not followed. */
const filesIn = (folder: string, prefix: string): Record<string, string> =>
  Object.assign(
    {},
    ...readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const [file, name] = [path.join(folder, entry.name), `${prefix}${entry.name}`];
      if (entry.isDirectory()) return filesIn(file, `${name}/`);
      return entry.isFile() ? { [name]: readFileSync(file, "latin1") } : {};
    }),
  );
