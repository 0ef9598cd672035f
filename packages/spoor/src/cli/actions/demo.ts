import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { dataDirectory } from "../../log/open.ts";
import type { Run } from "../../run/run.ts";
import { programFile } from "../../runtime/queue/launch-process.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { answerQuestions, type Questions } from "../running/answer-questions.ts";
import { createDemoRenderer } from "../running/demo-renderer.ts";
import { performLoop } from "../running/perform-loop.ts";
import { questionText } from "../running/question-text.ts";

export interface DemoOptions extends DataOption {
  ask?: true;
  yes?: true;
  json?: true;
}

/** What the demo may do without asking. The repair of the file is asked about, as every change is by default. */
const rules = [
  "allow write greet.sh test.sh",
  "ask tool file_edit",
  "allow shell sh test.sh",
  "allow mcp handbook/look_up",
  "allow task agent_loop",
];

/** `spoor demo`: a scripted model drives the real loop with real tools in a scratch folder. */
export async function demo(options: DemoOptions, io: Io): Promise<void> {
  const directory = path.resolve(options.data ?? dataDirectory());
  const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-demo-")));
  writeFileSync(
    path.join(workspace, "README.md"),
    "# A scratch folder of `spoor demo`\n\nRemove it whenever you like.\n",
  );
  const { json } = options;
  if (!json) io.stdout.write(introduction(workspace, directory));
  const performed = await performLoop(
    {
      options: {
        prompt: "Write a small greeting program with a test, and make the test pass.",
        model: "demo/tour",
        cwd: workspace,
        approve: "ask",
        mcpServers: [{ name: "handbook", command: process.execPath, args: [programFile(), "demo-handbook"] }],
      },
      task: { title: "Demo: a greeting program", policy: rules, record_thinking: true },
      directory,
      record: true,
      answer: (handle) => answersOf(handle, options, io),
      ...(json ? { json } : { render: createDemoRenderer(io.stdout) }),
    },
    io,
  );
  performed.requireCompleted();
  if (!json) io.stdout.write(whereToLook(performed.run_id, workspace, options));
}

const introduction = (workspace: string, directory: string): string => `\
A scripted model now drives Spoor's own agent loop. The loop, its tools, its rules and its log are real. The model is a
script, so nothing is called and nothing is charged; its cost is what a small model would take for as many tokens.
  it works in ${terminalSafe(workspace)}
  it is recorded in ${terminalSafe(directory)}
`;

/** A person at the terminal answers. Otherwise the demo does, and says so. */
function answersOf(handle: Run, { ask, yes, json }: DemoOptions, io: Io): Questions {
  const isTerminal = (io.stdin as { isTTY?: boolean }).isTTY === true;
  if (!yes && !json && (ask || isTerminal)) return answerQuestions(handle, io, { hasServer: true });
  const why = json ? "--json prints for programs" : yes ? "--yes was given" : "nobody is at the terminal";
  handle.interaction.onPending((interaction) => {
    if (!json) io.stdout.write(`${questionText(interaction)}yes  (${why}, so the demo answers itself)\n`);
    // Others get the event first.
    queueMicrotask(() => {
      if (handle.interaction.pending.some(({ id }) => id === interaction.id)) void handle.approve(interaction.id);
    });
  });
  return { refused: 0, nobody: undefined };
}

function whereToLook(run_id: string, workspace: string, { data }: DemoOptions): string {
  const chosen = data === undefined ? "" : ` --data ${terminalSafe(path.resolve(data))}`;
  const rows = [
    [`npx spoor show ${run_id}${chosen}`, "what it did, and what it cost"],
    [`npx spoor diff ${run_id}${chosen}`, "what it changed"],
    [`npx spoor revert ${run_id}${chosen}`, "undo what it changed"],
    [`npx spoor events ${run_id}${chosen}`, "every event, as it is stored"],
    [`npx spoor serve${chosen}`, "the same over HTTP, live"],
  ] as const;
  const width = Math.max(...rows.map(([command]) => command.length)) + 3;
  return `
Look at it:
${rows.map(([command, what]) => `  ${command.padEnd(width)}${what}\n`).join("")}
The same with a real model: npx spoor run loop "…" --model anthropic/claude-sonnet-4-5  (npx spoor agents loop lists the keys)
The files are in ${terminalSafe(workspace)}; nothing else was touched.
`;
}
