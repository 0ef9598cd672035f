import type { Step } from "./asking.ts";

/** What the agents of the pictures do. The one that is shown as a whole reads, fixes, tests, and asks before it removes a file. */
const CALC = "export function add(a, b) {\n  return a - b;\n}\n\nexport function mul(a, b) {\n  return a * b;\n}\n";

const todo = (done: number): Step => ({
  use: "TodoWrite",
  input: {
    todos: [
      "Read the code",
      "Fix add()",
      "Write a test and run it",
      "Remove what is left over",
      "Say what was done",
    ].map((content, index) => ({
      content,
      activeForm: content,
      status: index < done ? "completed" : index === done ? "in_progress" : "pending",
    })),
  },
  result: "ok",
});

const edit = (filePath: string, lines: readonly string[], oldStart = 1): Step => ({
  use: "Edit",
  input: {
    file_path: filePath,
    old_string: of(lines, "-"),
    new_string: of(lines, "+"),
  },
  result: `The file ${filePath} has been updated.`,
  details: {
    filePath,
    oldString: of(lines, "-"),
    newString: of(lines, "+"),
    originalFile: CALC,
    structuredPatch: [
      {
        oldStart,
        oldLines: lines.filter((line) => !line.startsWith("+")).length,
        newStart: oldStart,
        newLines: lines.filter((line) => !line.startsWith("-")).length,
        lines,
      },
    ],
  },
});

const of = (lines: readonly string[], sign: string): string =>
  lines
    .filter((line) => line.startsWith(sign))
    .map((line) => line.slice(1))
    .join("\n");

export const askSteps: readonly Step[] = [
  { wait: 600 },
  { say: "Reading the file, and checking who else calls `add()` while I do." },
  { use: "Read", input: { file_path: "src/calc.js" }, result: CALC },
  { use: "Grep", input: { pattern: "add\\(" }, result: "src/calc.js:1\nsrc/cart.js:14" },
  todo(1),
  { wait: 900 },
  { say: "Fixing the bug. `add()` subtracts:" },
  edit("src/calc.js", [
    " export function add(a, b) {",
    "-  return a - b;",
    "+  return a + b;",
    " }",
    " ",
    " export function mul(a, b) {",
  ]),
  {
    use: "Write",
    input: {
      file_path: "src/calc.test.js",
      content: 'import { add } from "./calc.js";\n\nif (add(1, 2) !== 3) throw new Error("bad");\n',
    },
    result: "File created successfully at: src/calc.test.js",
  },
  todo(2),
  { wait: 700 },
  {
    use: "Bash",
    input: { command: "node src/calc.test.js && npm test", description: "Run the test" },
    result: 'ok\nnpm error Missing script: "test"',
    details: {
      stdout: "ok\n",
      stderr: 'npm error Missing script: "test"\nnpm error To see a list of scripts, run:\nnpm error   npm run\n',
      interrupted: false,
    },
  },
  todo(3),
  {
    say: "The new test passes. There is no `test` script, so I ran the file itself. `notes.txt` is left over from an earlier run:\n\n- it was overwritten without being read first;\n- nothing refers to it.\n\nI would like to remove it.",
  },
  { ask: "Bash", input: { command: "rm notes.txt" } },
];

export const changeSteps: readonly Step[] = [
  { say: "I let `add()` take any number of values." },
  {
    ask: "Edit",
    input: {
      file_path: "src/calc.js",
      old_string: "export function add(a, b) {\n  return a + b;\n}",
      new_string: "export function add(...values) {\n  return values.reduce((sum, value) => sum + value, 0);\n}",
    },
  },
];

export const questionSteps: readonly Step[] = [
  { say: "There are two themes that would fit." },
  {
    ask: "AskUserQuestion",
    input: {
      questions: [
        {
          question: "Which colour?",
          header: "Colour",
          multiSelect: false,
          options: [
            { label: "Red", description: "warm" },
            { label: "Blue", description: "cold" },
          ],
        },
      ],
    },
  },
];

export const workSteps: readonly Step[] = [
  { say: "I look for every link to the file first." },
  { use: "Grep", input: { pattern: "README.md" }, result: "docs/index.md:3\npackage.json:41" },
  edit("docs/index.md", ["-See [the start](../README.md).", "+See [the start](README.md)."], 3),
  { use: "Bash", input: { command: "npm run check-links" } },
];

/** The same task as it is shown in a terminal, where it ends. */
export const terminalSteps: readonly Step[] = [
  ...askSteps,
  {
    say: "Done. `add()` adds again, a test keeps it so, and notes.txt is gone.",
  },
];
