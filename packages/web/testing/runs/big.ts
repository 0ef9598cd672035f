import { type AgentEvent, createUlidSource } from "@spoor/protocol";
import { Script } from "../../../protocol/testing/script.ts";
import { recordEvents } from "./recorded.ts";

const newId = createUlidSource();

/** Records a long run of at least this many events: turns with text, a command that prints, an edit and a read. */
export async function bigRun(data: string, count = 100_000): Promise<string> {
  return recordEvents(data, bigEvents(count));
}

/** The events of a long run. Each turn has 52 of them. */
export function bigEvents(count: number): AgentEvent[] {
  const script = new Script({ runId: newId(), startAt: Date.now() - count * 4 });
  script.begin();
  for (let turn = 1; script.events.length < count - 1; turn += 1) {
    script.turn({ model: "claude-opus-5-5" });
    script.message(...Array.from({ length: 20 }, (_, word) => `Step ${turn}, word ${word}. `));
    const shell = `shell-${turn}`;
    script.tool({ id: shell, name: "Bash", kind: "shell", input: { command: `npm test -- part-${turn}` } });
    script.emit("shell_start", { command: `npm test -- part-${turn}`, cwd: "/home/dev/app", toolCallId: shell });
    for (let line = 0; line < 20; line += 1) {
      script.emit("shell_stdout_delta", { delta: `ok ${line} - test ${turn}.${line} passes\n`, toolCallId: shell });
    }
    script.emit("shell_exit", { exitCode: 0, durationMs: 900, toolCallId: shell });
    script.result(shell, "Bash", "all passed", 900);
    const read = `read-${turn}`;
    script.tool({ id: read, name: "Read", kind: "file_read", input: { file_path: `src/part-${turn}.js` } });
    script.result(read, "Read", `export const part = ${turn};\n`);
    script.wait(50).endTurn();
  }
  return script.end().events;
}
