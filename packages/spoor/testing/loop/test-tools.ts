import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Static, type TObject, Type } from "@sinclair/typebox";
import type { LoopTool } from "../../src/loop/tools/tool.ts";

const define = <Input extends TObject>(tool: LoopTool<Input>): LoopTool => tool as unknown as LoopTool;

/** Reads a file. */
export const read = define({
  ...{ name: "read", kind: "file_read", description: "Reads a file.", effect: "read" },
  input: Type.Object({ path: Type.String() }),
  actions: ({ path: file }, { root }) => [{ subject: "read", paths: [path.join(root, file)], cwd: root }],
  async run({ path: file }, { root }) {
    const output = await readFile(path.join(root, file), "utf8").catch(() => undefined);
    if (output === undefined) return { output: "", summary: "failed", error: `There is no file ${file}.` };
    return { output, summary: `${output.length} characters` };
  },
});

/** Writes a file. */
export const write = define({
  ...{ name: "write", kind: "file_write", description: "Writes a file.", effect: "effect" },
  input: Type.Object({ path: Type.String(), content: Type.String() }),
  actions: ({ path: file }, { root }) => [{ subject: "write", paths: [path.join(root, file)], cwd: root }],
  async run({ path: file, content }, { root }) {
    await writeFile(path.join(root, file), content);
    return { output: "written", summary: file };
  },
});

const shellInput = Type.Object({ command: Type.String() });

/** Runs a command. */
export const shell = define({
  ...{ name: "shell", kind: "shell", description: "Runs a command.", effect: "effect", input: shellInput },
  actions: ({ command }: Static<typeof shellInput>, { root }) => [{ subject: "shell", command, cwd: root }],
  describe: async ({ command }) => ({ summary: `Run ${command}`, detail: command }),
  async run({ command }, { callId, root, signal, tell }) {
    tell({
      signals: [{ kind: "shell", id: callId, command, cwd: root }],
      fields: { "tool.shell.command": { sandbox_layer: "none" } },
    });
    const child = spawn("sh", ["-c", command], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    const kill = () => child.kill("SIGKILL");
    signal.addEventListener("abort", kill);
    if (signal.aborted) kill();
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      tell({ signals: [{ kind: "output", id: callId, stream: "stdout", text }] });
    });
    const [code] = await once(child, "close");
    signal.removeEventListener("abort", kill);
    if (code === null) return { output: "", summary: "killed", error: "The command was killed.", exitCode: -1 };
    return { output, summary: `exit ${code}`, exitCode: code };
  },
});

export const testTools: readonly LoopTool[] = [read, write, shell];
