import path from "node:path";
import { dataDirectory } from "../../log/open.ts";
import { createDemoFolder, demoTask } from "../../loop/demo-task.ts";
import type { Run } from "../../run/run.ts";
import { programFile } from "../../runtime/queue/launch-process.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { Display } from "../output/display.ts";
import { createScreen, type Screen } from "../output/screen.ts";
import { answerQuestions, type QuestionOptions, type Questions } from "../running/answer-questions.ts";
import { nobodyThere } from "../running/nobody-there.ts";
import { performLoop } from "../running/perform-loop.ts";
import { showQuestion } from "../running/question-text.ts";

const { title, prompt, model, approve, policy, record_thinking } = demoTask;

export interface DemoOptions extends DataOption {
  ask?: true;
  yes?: true;
  json?: true;
}

/** `spoor demo`: a scripted model drives the real loop with real tools in a scratch folder. */
export async function demo(options: DemoOptions, io: Io): Promise<void> {
  const directory = path.resolve(options.data ?? dataDirectory());
  const workspace = createDemoFolder();
  const handbook = { name: "handbook", command: process.execPath, args: [programFile(), "demo-handbook"] };
  const { json } = options;
  const screen = createScreen(new Display(io));
  if (!json) for (const [text, indent] of introduction(workspace, directory)) screen.paragraph(text, indent);
  const performed = await performLoop(
    {
      options: { prompt, model, approve, cwd: workspace, mcpServers: [handbook] },
      task: { title, policy: [...policy, "allow mcp handbook/look_up"], record_thinking },
      directory,
      record: true,
      answer: (handle, questions) => answersOf(handle, options, questions, io),
      view: { thinking: true },
      ...(json && { json }),
    },
    io,
  );
  performed.requireCompleted();
  if (!json) whereToLook(createScreen(new Display(io)), performed.run_id, workspace, options);
}

const introduction = (workspace: string, directory: string): [text: string, indent?: string][] => [
  [
    "A scripted model now drives Spoor's own agent loop. The loop, its tools, its rules and its log are real. The model is a " +
      "script, so nothing is called and nothing is charged; its cost is what a small model would take for as many tokens.",
  ],
  [`it works in ${workspace}`, "  "],
  [`it is recorded in ${directory}`, "  "],
];

/** A person at the terminal answers. Otherwise the demo does, and says so. */
function answersOf(handle: Run, { ask, yes, json }: DemoOptions, options: QuestionOptions, io: Io): Questions {
  if (!yes && !json && (ask || nobodyThere(io) === undefined))
    return answerQuestions(handle, io, { ...options, hasServer: true });
  const why = json ? "--json prints for programs" : yes ? "--yes was given" : "nobody is at the terminal";
  const { screen } = options.desk;
  handle.interaction.onPending((interaction) => {
    // Others get the event first.
    queueMicrotask(() => {
      if (!json) {
        showQuestion(screen, interaction);
        screen.line([{ text: "  allowed", role: "green" }, `(${why}, so the demo answers itself)`]);
      }
      if (handle.interaction.pending.some(({ id }) => id === interaction.id)) void handle.approve(interaction.id);
    });
  });
  return { refused: 0, nobody: undefined, isAnswered: () => true };
}

function whereToLook(screen: Screen, run_id: string, workspace: string, { data }: DemoOptions): void {
  const chosen = data === undefined ? "" : ` --data ${path.resolve(data)}`;
  const rows = [
    [`npx spoor show ${run_id}${chosen}`, "what it did and cost"],
    [`npx spoor diff ${run_id}${chosen}`, "what it changed"],
    [`npx spoor revert ${run_id}${chosen}`, "undo what it changed"],
    [`npx spoor events ${run_id}${chosen}`, "every event, as stored"],
    [`npx spoor serve${chosen}`, "the same over HTTP, live"],
  ] as const;
  const width = Math.max(...rows.map(([command]) => command.length));
  const longest = Math.max(...rows.map(([, what]) => what.length));
  const hasRoom = 2 + width + 3 + longest <= screen.style.columns;
  screen.paragraph("\nLook at it:");
  for (const [command, what] of rows) {
    // A command must be copied whole, so that its explanation goes to the next line if there is no room.
    if (hasRoom) screen.paragraph(`${command.padEnd(width)}   ${what}`, "  ");
    else
      for (const [text, indent] of [
        [command, "  "],
        [what, "      "],
      ] as const)
        screen.paragraph(text, indent);
  }
  const model = 'npx spoor run loop "…" --model anthropic/claude-sonnet-4-5';
  screen.paragraph(`\nThe same with a real model: ${model}  (npx spoor agents loop lists the keys)`);
  screen.paragraph(`The files are in ${workspace}; nothing else was touched.`);
}
