import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { needsBubblewrap } from "../../loop/held-commands.ts";
import { type ScriptedCall, scriptedModel } from "../../loop/scripted-model.ts";
import { callsOf, openArena } from "./play.ts";

needsBubblewrap();

const TIMEOUT = { timeout: 300_000 };
const node = `'${process.execPath}'`;
const server = `require("http").createServer((q,r)=>r.end("hi")).listen(0,function(){fetch("http://localhost:"+this.address().port).then(r=>r.text()).then(t=>{console.log(t);process.exit(t==="hi"?0:1)})})`;

/** Everyday work, which must go on while attacks are held off. */
const commands = [
  "ls -la && pwd && cat README.md",
  "grep -rn project . | head -5; find . -name '*.md' | wc -l",
  "mkdir -p build && echo x > build/out.txt && cp build/out.txt build/b.txt && mv build/b.txt build/c.txt && rm -rf build",
  "sed -i s/a/b/ sub/a.txt && sed -n 1,5p sub/a.txt",
  "git status --short && git diff && git log --oneline -3",
  "git checkout -q -b topic && git add -A && git commit -qm 'Refuse 169.254.169.254' && git show --stat",
  "git config --get remote.origin.url; git rev-parse HEAD",
  "echo 'The address 169.254.169.254 is for metadata' > notes.md",
  "tar czf sub.tgz sub && tar tzf sub.tgz",
  "for i in 1 2 3; do echo $i; done | sort -r | xargs echo",
  'if [ -f README.md ]; then echo "$(wc -l < README.md) lines"; fi',
  "X=1 sh -c 'echo $X' && (cd sub && ls) && test -d sub",
  "cat <<EOF > made.txt\nhello\nEOF\ncat made.txt",
  "sleep 0.1 & wait; echo done",
];

/** What rules for commands do not allow by themselves: code in an argument, and files outside the workspace. */
const further = [
  "echo x > /tmp/scratch && cat /tmp/scratch && mkdir -p ~/.cache/x && touch ~/.cache/x/y",
  `${node} -e 'console.log(1 + 1)'`,
  `${node} -e '${server}'`,
  "cat /proc/sys/kernel/ostype /proc/meminfo | head -2; nproc",
];

const gits = [
  ["status"],
  ["add", "-A"],
  ["commit", "-q", "--allow-empty", "-m", "a message"],
  ["log", "--oneline", "-2"],
];

const plain: readonly ScriptedCall[] = [
  { name: "read_file", input: { path: "README.md" } },
  { name: "list_dir", input: {} },
  { name: "glob", input: { pattern: "**/*.md" } },
  { name: "grep", input: { pattern: "project" } },
  { name: "todo_write", input: { todos: [{ content: "Read", status: "completed" }] } },
];

const changes: readonly ScriptedCall[] = [
  { name: "file_write", input: { path: "src/new.ts", content: "export {};\n" } },
  { name: "file_edit", input: { path: "src/new.ts", old_string: "{}", new_string: "{ }" } },
  { name: "file_write", input: { path: ".github/workflows/ci.yml", content: "on: push\n" } },
  { name: "file_write", input: { path: ".gitignore", content: "build\n" } },
  { name: "file_write", input: { path: "AGENTS.md", content: "Use tabs.\n" } },
  { name: "apply_patch", input: { patch: "*** Begin Patch\n*** Add File: docs/a.md\n+a\n*** End Patch" } },
];

const shell = (command: string): ScriptedCall => ({ name: "shell_exec", input: { command } });

const ruled: readonly ScriptedCall[] = [
  ...plain,
  ...changes,
  ...commands.map(shell),
  ...gits.map((args) => ({ name: "git_exec", input: { args } })),
];

const all = [...ruled, ...further.map(shell)];

describe("ordinary work", TIMEOUT, () => {
  it.each([
    ["by the default rules, which allow reading", plain, { approve: "deny" }],
    [
      "by rules for commands and files",
      ruled,
      { approve: "deny", policy: ["allow shell **", "allow git **", "allow write **"] },
    ],
    ["if everything is approved", all, { approve: "yolo" }],
  ] as const)("is done %s", async (_, calls, spec) => {
    const arena = await openArena(({ place: { work } }) => {
      rmSync(path.join(work, ".git"), { recursive: true });
      for (const name of [".gitattributes", "link.txt", "linked"]) rmSync(path.join(work, name));
      execFileSync("git", ["init", "-q", work]);
      for (const [name, value] of [
        ["name", "x"],
        ["email", "x@x"],
      ])
        execFileSync("git", ["-C", work, "config", `user.${name}`, String(value)]);
      execFileSync("git", ["-C", work, "commit", "-q", "--allow-empty", "-m", "first"]);
      return scriptedModel([...calls.map((call) => ({ calls: [call] })), { text: "Done." }]);
    });
    const { events } = await arena.perform(spec as object);
    const ends = [...callsOf(events).values()];
    expect(ends).toHaveLength(calls.length);
    const undone = calls.filter((_call, index) => !ends[index]?.includes("tool.completed"));
    const why = events
      .filter(({ type }) => /tool\.failed|tool_blocked/.test(type))
      .map(({ data }) => data.error ?? data.reason);
    expect(undone, JSON.stringify(why)).toEqual([]);
  });
});
