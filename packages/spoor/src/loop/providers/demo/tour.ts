import type { DemoScript } from "./script.ts";

const todos = (...done: readonly string[]) => ({
  todos: [
    { content: "Write the program and a test", status: done[0] ?? "pending" },
    { content: "Make the test pass", status: done[1] ?? "pending" },
    { content: "Ask for a second opinion", status: done[2] ?? "pending" },
  ],
});

const GREET = `#!/bin/sh
# Greets somebody by name.
echo "Hello, $1!"
`;

const TEST = `#!/bin/sh
# Compares what greet.sh says with what it should say.
said=$(sh greet.sh)
if [ "$said" = "Hello, world!" ]; then
  echo "ok: $said"
else
  echo "not ok: it said \\"$said\\" instead of \\"Hello, world!\\""
  exit 1
fi
`;

/** A small task from beginning to end, which shows what a run can contain. */
export const tour: DemoScript = {
  title: "writes a small program, tests it, asks before it repairs it, and reports",
  pace: 14,
  turns: [
    {
      thinking: "A greeting is a small program. A test will tell me whether it really works, so I plan for both.",
      text: "I will write a small greeting program and a test for it. First, a list of what to do.",
      calls: [{ tool: "todo_write", input: todos("in_progress") }],
    },
    {
      calls: [
        { tool: "file_write", input: { path: "greet.sh", content: GREET } },
        { tool: "file_write", input: { path: "test.sh", content: TEST } },
      ],
    },
    {
      text: "Both files are written. Does it work?",
      calls: [{ tool: "shell_exec", input: { command: "sh test.sh" } }],
    },
    {
      expect: ["not ok"],
      thinking: "Without a name, the program greets nobody. A default value repairs that.",
      text: "The test is right: without a name, the program greets nobody. I ask before I change the file.",
      calls: [
        {
          tool: "file_edit",
          // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a shell script.
          input: { path: "greet.sh", old_string: 'echo "Hello, $1!"', new_string: 'echo "Hello, ${1:-world}!"' },
        },
      ],
    },
    {
      text: "Changed. Once more:",
      calls: [{ tool: "shell_exec", input: { command: "sh test.sh" } }],
    },
    {
      expect: ["ok: Hello, world!"],
      text: "It works. The team's handbook is an MCP server; I look up how to describe a change.",
      calls: [{ tool: "mcp__handbook__look_up", input: { topic: "changes" } }],
    },
    {
      text: "Now a second opinion: a subagent reads the program.",
      calls: [
        { tool: "subagent", input: { name: "reviewer", prompt: "Review greet.sh: whom does it greet by default?" } },
      ],
    },
    {
      expect: ["It greets the world"],
      text: "The list is done.",
      calls: [{ tool: "todo_write", input: todos("completed", "completed", "completed") }],
    },
    {
      text:
        "`greet.sh` now greets the world if nobody is named, and `test.sh` proves it. " +
        "I asked before I changed a file, and everything I did can be looked at and undone.",
    },
  ],
  subagents: [
    {
      prompt: "Review greet.sh",
      turns: [
        { calls: [{ tool: "read_file", input: { path: "greet.sh" } }] },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a shell script.
        { expect: ["${1:-world}"], text: "It greets the world if nobody is named. I would change nothing." },
      ],
    },
  ],
};
