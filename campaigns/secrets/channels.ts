import type { Stage } from "./stage.ts";

/** Two secrets as they will be sent. */
export interface Words {
  /** The text, cut at random places; the pieces join to the whole. */
  pieces: readonly string[];
  whole: string;
  /** The number of this attack in the run. */
  id: string;
}

interface Channel {
  play(stage: Stage, words: Words): void;
  /** Whether each piece may be a separate text, so that no separator is needed between the secrets. */
  hasFrames?: true;
}

/** Every way in which text of an agent, a user or a caller reaches the log. */
export const channels: Readonly<Record<string, Channel>> = {
  "text deltas": { play: ({ script }, { pieces }) => void script.message(...pieces) },
  "thinking deltas": { play: ({ script }, { pieces }) => void script.thinking(...pieces) },
  "tool input": {
    play({ script }, { pieces, whole, id }) {
      const input = { command: whole };
      script.tool({ id, name: "Bash", kind: "shell", input, pieces: inJson(pieces) });
      script.result(id, "Bash", "done");
    },
  },
  "tool output": {
    play({ script }, { whole, id }) {
      script.tool({ id, name: "Read", kind: "file_read", input: { file: "a.txt" } });
      script.result(id, "Read", { content: [{ type: "text", text: whole }] });
    },
  },
  "shell output": {
    play({ script }, { pieces, whole, id }) {
      script.tool({ id, name: "Bash", kind: "shell", input: { command: "env" } });
      script.emit("shell_start", { command: "env", cwd: "/home/dev/app", toolCallId: id });
      for (const delta of pieces) script.emit("shell_stdout_delta", { delta, toolCallId: id });
      for (const delta of pieces) script.emit("shell_stderr_delta", { delta, toolCallId: id });
      script.emit("shell_exit", { exitCode: 0, durationMs: 4, toolCallId: id });
      script.result(id, "Bash", whole);
    },
  },
  "unknown frames": {
    hasFrames: true,
    play({ script }, { pieces }) {
      for (const text of pieces) {
        script.emit("debug", { level: "verbose", message: JSON.stringify({ type: "new", part: { text } }) });
      }
    },
  },
  stderr: {
    play({ script, lines }, { whole }) {
      for (const line of whole.split("\n")) {
        script.emit("log", { source: "stderr", line });
        lines.push({ from: "stderr", text: line });
      }
    },
  },
  "lines of the agent": {
    hasFrames: true,
    play({ lines }, { pieces }) {
      for (const text of pieces) {
        lines.push({ from: "stdout", text: JSON.stringify({ type: "content_block_delta", delta: { text } }) });
      }
    },
  },
  "lines to the agent": {
    hasFrames: true,
    play({ lines }, { pieces }) {
      for (const text of pieces)
        lines.push({ from: "stdin", text: JSON.stringify({ type: "user", content: [{ text }] }) });
    },
  },
  "text inside JSON inside JSON": {
    hasFrames: true,
    play({ lines }, { pieces }) {
      for (const partial_json of inJson(pieces))
        lines.push({ from: "stdout", text: JSON.stringify({ type: "input_json_delta", partial_json }) });
    },
  },
  "the prompt and the run's title": { play: ({ prompts }, { whole }) => void prompts.push(whole) },
  "user messages": { play: ({ userMessages }, { whole }) => void userMessages.push(whole) },
  "posted events": {
    play: ({ posted }, { whole }) => void posted.push({ note: whole, data: { list: [{ text: whole }] } }),
  },
};

/** The pieces of the JSON input of a call whose command is this text. */
function inJson(pieces: readonly string[]): string[] {
  const escaped = pieces.map((piece) => JSON.stringify(piece).slice(1, -1));
  return ['{"command":"', ...escaped, '"}'];
}
