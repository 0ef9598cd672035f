import { type AgentEvent, createUlidSource, type ToolKind } from "@spoor/protocol";
import { Script } from "../../../protocol/testing/script.ts";
import { recordEvents } from "./recorded.ts";

const newId = createUlidSource();
const S = 1_000;

/** Records a run of 6:33 with all that takes time: thoughts, calls in parallel, a wait, a retry, a subagent, costs. */
export const minutesRun = (data: string): Promise<string> =>
  recordEvents(data, minutesEvents(), { record_thinking: true });

export function minutesEvents(): AgentEvent[] {
  const script = new Script({ runId: newId(), startAt: Date.now() - 7 * 60 * S });
  let micros = 0;
  const spend = (more: number) => {
    micros += more;
    const cost = { totalUsd: micros / 1e6, inputTokens: micros, outputTokens: 100, source: "agent_reported" as const };
    script.emit("cost", { cost });
  };
  const begin = (id: string, name: string, kind: ToolKind, input: unknown) => script.tool({ id, name, kind, input });
  const run = (id: string, command: string, ms: number, exitCode = 0) => {
    begin(id, "Bash", "shell", { command });
    script.emit("shell_start", { command, cwd: "/home/dev/app", toolCallId: id }).wait(ms);
    script.emit("shell_exit", { exitCode, durationMs: ms, toolCallId: id });
    if (exitCode === 0) script.result(id, "Bash", "ok", ms);
    else script.emit("tool_error", { toolCallId: id, toolName: "Bash", error: `exit ${exitCode}` });
  };
  const read = (id: string, file: string, ms: number) => {
    begin(id, "Read", "file_read", { file_path: file }).wait(ms).result(id, "Read", "…", ms);
  };
  script.begin().wait(3 * S);

  script
    .turn({ model: "claude-opus-5-5" })
    .emit("thinking_start", {})
    .wait(2 * S)
    .emit("thinking_delta", { delta: "The test is missing.", accumulated: "The test is missing." })
    .emit("thinking_stop", { thinking: "The test is missing." })
    .message("I look at the code.");
  script.wait(13 * S);
  read("r1", "src/calc.js", 5 * S);
  script.endTurn();
  spend(20_000);

  script
    .turn({ model: "claude-opus-5-5" })
    .wait(8 * S)
    .message("Two things at once.");
  const subagentId = "sub-1";
  begin("s1", "Task", "subagent", { prompt: "check the repo", subagent_type: "Explore" });
  script.emit("subagent_spawn", { subagentId, agentName: "Explore", prompt: "check the repo" });
  begin("r2", "Read", "file_read", { file_path: "package.json" })
    .wait(3 * S)
    .result("r2", "Read", "{}");
  read("r3", "src/index.js", 3 * S);
  script.wait(18 * S).emit("subagent_result", { subagentId, agentName: "Explore", summary: "All fine." });
  script.result("s1", "Task", "All fine.", 24 * S).endTurn();
  spend(40_000);

  script
    .turn({ model: "claude-opus-5-5" })
    .emit("thinking_start", {})
    .wait(2 * S)
    .emit("thinking_delta", { delta: "Hm.", accumulated: "Hm." })
    .emit("thinking_stop", { thinking: "Hm." });
  script.wait(19 * S).message("Now the test.");
  begin("e1", "Edit", "edit", { file_path: "src/calc.js" })
    .wait(5 * S)
    .result("e1", "Edit", "ok");
  run("b1", "npm test", 17 * S, 1);
  script.endTurn();
  spend(55_000);

  script
    .turn({ model: "claude-opus-5-5" })
    .wait(12 * S)
    .message("Once more.");
  begin("b2", "Bash", "shell", { command: "for i in 1 2 3 4 5 6; do echo tick $i; sleep 1; done" });
  script.emit("shell_start", {
    command: "for i in 1 2 3 4 5 6; do echo tick $i; sleep 1; done",
    cwd: "/w",
    toolCallId: "b2",
  });
  read("r4", "README.md", 6 * S);
  read("r5", "LICENSE", 2 * S);
  script
    .wait(18 * S)
    .emit("shell_exit", { exitCode: 0, durationMs: 26 * S, toolCallId: "b2" })
    .result("b2", "Bash", "tick");
  script.endTurn();
  spend(30_000);

  script
    .turn({ model: "claude-opus-5-5" })
    .wait(8 * S)
    .message("notes.txt is left over. I remove it.");
  begin("b3", "Bash", "shell", { command: "rm notes.txt" });
  script.emit("approval_request", {
    interactionId: "appr_01K9ZC0000APPR0VA0MJN00001",
    action: "shell",
    detail: "rm notes.txt",
    riskLevel: "high",
    toolName: "Bash",
    toolCallId: "b3",
    input: { command: "rm notes.txt" },
  });
  script.wait(70 * S).emit("approval_granted", { interactionId: "appr_01K9ZC0000APPR0VA0MJN00001" });
  script.emit("shell_start", { command: "rm notes.txt", cwd: "/w", toolCallId: "b3" }).wait(15 * S);
  script
    .emit("shell_exit", { exitCode: 0, durationMs: 15 * S, toolCallId: "b3" })
    .result("b3", "Bash", "")
    .endTurn();
  spend(25_000);

  script
    .turn({ model: "claude-opus-5-5" })
    .wait(9 * S)
    .message("Install.");
  run("b4", "npm install", 21 * S);
  script.endTurn();
  spend(35_000);

  script
    .turn({ model: "claude-opus-5-5" })
    .emit("thinking_start", {})
    .wait(2 * S)
    .emit("thinking_delta", { delta: "Ok.", accumulated: "Ok." })
    .emit("thinking_stop", { thinking: "Ok." });
  script.wait(17 * S).message("Test.");
  run("b5", "npm test", 20 * S);
  script.endTurn();
  spend(75_000);

  script.turn({ model: "claude-opus-5-5" }).wait(16 * S);
  script.emit("retry", { attempt: 1, maxAttempts: 3, reason: "529 overloaded_error", delayMs: 13 * S }).wait(13 * S);
  script.wait(6 * S).message("Apply.");
  begin("e2", "Edit", "edit", { file_path: "src/calc.test.js" });
  script.wait(2 * S);
  read("r6", "src/calc.js", 6 * S);
  script
    .wait(8 * S)
    .result("e2", "Edit", "ok")
    .endTurn();
  spend(80_000);

  script
    .turn({ model: "claude-opus-5-5" })
    .wait(30 * S)
    .message("Done. ", "add() adds, and a test says so.")
    .wait(4 * S)
    .endTurn();
  spend(58_000);
  return script.wait(10 * S).end().events;
}
