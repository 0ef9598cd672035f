/** An example: a command line, and what it does. */
export type Example = readonly [line: string, what: string];

/** The examples that the help of each command shows. Tests parse every line. */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  run: [
    ['spoor run claude "fix the failing test"', "run an agent; it asks before risky actions"],
    ['spoor run codex "explain this repo" --approve deny', "refuse everything that needs permission"],
    ['spoor run loop "fix it" --model openai/gpt-5-mini --budget 2.50', "Spoor's own agent, which stops at its budget"],
    ["git diff | spoor run claude --json", "a prompt from a pipe, and events for a program"],
  ],
  demo: [["spoor demo", "see everything at work, without a key"]],
  serve: [
    ["spoor serve", "the page and the HTTP interface, on this machine only"],
    ["spoor serve --webhook https://example.com/hooks", "also tell a program how runs begin, wait and end"],
  ],
  webhooks: [["spoor webhooks", "how far each receiver is"]],
  "webhooks test": [["spoor webhooks test", "send a test event to each receiver"]],
  "webhooks enable": [["spoor webhooks enable wh_2f6c", "try a receiver again now"]],
  login: [["spoor login", "a fresh link for the browser"]],
  open: [["spoor open last", "look at the newest run in the browser"]],
  acp: [
    ["spoor acp", "the command for an editor: it finds the agents that are installed"],
    ["spoor acp --agent codex --approve deny", "new sessions begin with Codex, which may only read"],
    ["spoor acp --agent loop --model anthropic/claude-sonnet-4-5", "new sessions begin with Spoor's own agent"],
  ],
  rpc: [
    ["spoor rpc claude --approve auto", "for a program that speaks zot's protocol"],
    [
      `echo '{"id":"1","type":"prompt","message":"hello"}' | spoor rpc loop --model demo/tour`,
      "one prompt from a shell",
    ],
  ],
  mcp: [
    ["spoor mcp", "for `claude mcp add spoor -- spoor mcp`, and for other clients of MCP"],
    ["spoor mcp --allow-commands", "also let the agent start, steer and answer runs"],
    ["spoor mcp --http", "over HTTP on this machine, with the token of the data directory"],
  ],
  approvals: [
    ["spoor approvals", "what waits for permission, of all runs"],
    ["spoor approvals --watch", "answer each as it comes"],
  ],
  approve: [["spoor approve 4T9W", "allow an action, named by the end of its id"]],
  deny: [['spoor deny 4T9W "Use git rm."', "refuse it; the agent gets the reason"]],
  send: [['spoor send last "Also add a test."', "give a running agent another prompt"]],
  answer: [['spoor answer last "The second one."', "answer what the agent asked"]],
  interrupt: [["spoor interrupt last", "stop what the agent does, as Ctrl-C does"]],
  cancel: [['spoor cancel 7KSMXP -m "Wrong branch."', "end a run and all its processes"]],
  pause: [["spoor pause last", "stop the processes of a run"]],
  unpause: [["spoor unpause last", "let them go on"]],
  work: [["spoor work --workers 2", "perform queued runs, two at a time"]],
  "task new": [
    ['spoor task new agent claude "fix the tests" --start', "a task of an agent, started at once"],
    ['spoor task new agent_loop "fix the tests" --model anthropic/claude-sonnet-4-5', "one of Spoor's own agent"],
    ['spoor task new shell "npm test"', "a command"],
    ['spoor task new git commit -- -m "a message"', "a step of git"],
    ["echo text | spoor task new file write notes.txt", "a file"],
    ["spoor task new --spec task.json", "anything that a specification can say"],
  ],
  "task ls": [["spoor task ls", "all tasks, newest first"]],
  "task show": [["spoor task show last", "a task and its runs"]],
  "task rm": [["spoor task rm last", "remove a task"]],
  start: [["spoor start last", "make a run of a task"]],
  retry: [["spoor retry last --from-turn 3", "try again from a turn on"]],
  continue: [['spoor continue last "Now the docs."', "go on with a further prompt"]],
  fork: [['spoor fork last "Try it with a queue instead."', "go on in a copy"]],
  ls: [
    ["spoor ls fix login", "runs by words of their prompt"],
    ["spoor ls --state blocked", "runs that wait for a person"],
    ["spoor ls --before 7KSMXP", "older runs"],
  ],
  show: [
    ["spoor show last", "what the newest run did, changed and cost"],
    ["spoor show 7KSMXP --output 5", "everything that its fifth call printed"],
  ],
  tail: [
    ["spoor tail 7KSMXP", "follow a run"],
    ["spoor tail --since 10m", "all runs: the last ten minutes and what follows"],
    ["spoor tail --as glasspane", "a pane with a state for each run, for a program"],
  ],
  events: [
    ["spoor events last --type tool.shell.command,tool.shell.exited", "which commands the agent ran"],
    ["spoor events --since 1h --json", "what happened in the last hour, for a program"],
  ],
  replay: [["spoor replay last --speed 10", "see it again, ten times faster"]],
  cost: [
    ["spoor cost last", "a run by turn"],
    ["spoor cost --days 7", "the last days by agent"],
    ["spoor cost --by agent,model --from 30d", "what each model cost"],
  ],
  patches: [["spoor patches last", "the changes of a run, file by file"]],
  "patch show": [["spoor patch show 3FZK2A", "one change with its hunks"]],
  "patch apply": [["spoor patch apply 3FZK2A --hunk 0", "only its first hunk"]],
  "patch reject": [["spoor patch reject 3FZK2A", "decide that it is not applied"]],
  "patch revert": [["spoor patch revert 3FZK2A", "take it back"]],
  diff: [
    ["spoor diff last | git apply", "apply it to another worktree"],
    ["spoor diff last --turn 2", "only what the second turn changed"],
    ["spoor diff last -- src/", "only files in a folder"],
  ],
  apply: [["spoor apply last --to ../copy", "write what a run changed to another folder"]],
  revert: [["spoor revert last --file src/calc.js", "take the changes of one file back"]],
  export: [["spoor export last --out run.spoor.gz", "one file that can be verified anywhere"]],
  verify: [["spoor verify --file run.spoor.gz", "check that nothing was changed"]],
  prune: [["spoor prune --older-than 30d --dry-run", "what would be removed"]],
  compact: [["spoor compact", "compress runs that ended"]],
  repair: [["spoor repair --check", "is anything damaged?"]],
  renormalize: [["spoor renormalize last", "read the raw lines of a run again"]],
  "policy check": [['spoor policy check "git push && rm -rf /"', "what the rules say, and why"]],
  trust: [["spoor trust", "what this project may do"]],
  sessions: [['spoor sessions --search "flaky test"', "sessions that contain a text"]],
  "sessions show": [["spoor sessions show last", "the messages of a session"]],
  resume: [['spoor resume last "go on"', "continue a session of an agent"]],
  agents: [["spoor agents claude", "everything about one agent"]],
  parse: [["spoor parse claude out.jsonl", "events from what an agent printed"]],
  check: [["spoor events last --json | spoor check", "does a stream keep the contract?"]],
  schema: [["spoor schema", "the schema of all events"]],
  completion: [
    ["spoor completion bash", "a script for bash; load it with source <(spoor completion bash)"],
    ["spoor completion fish", "a script for ~/.config/fish/completions/spoor.fish"],
  ],
};

/** The examples of a command as its help shows them. */
export function exampleText(name: string): string {
  const own = examples[name] ?? [];
  if (own.length === 0) return "";
  const width = Math.max(...own.map(([line]) => line.length));
  const rows = own.map(([line, what]) =>
    width > 56 ? `  ${line}\n      ${what}` : `  ${line.padEnd(width)}   ${what}`,
  );
  return `\nExamples:\n${rows.join("\n")}`;
}
