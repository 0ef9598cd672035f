import { type AgentEvent, createStreamChecker } from "@spoor/protocol";
import { expect, it } from "vitest";
import { all, eventsOfRun, runAcp, type Step } from "../../testing/run/acp-agent.ts";

const options = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];
const call = { toolCallId: "c", title: "touch a.txt", kind: "execute", rawInput: { command: "touch a.txt" } };
const update = (fields: object): Step => ({
  update: { sessionUpdate: "tool_call_update", toolCallId: "c", ...fields },
});
const asked: Step[] = [
  { update: { sessionUpdate: "tool_call", ...call, status: "pending" } },
  update({ status: "in_progress" }),
  { ask: "session/request_permission", params: { toolCall: call, options } },
];
const ran: Step[] = [update({ status: "completed", rawOutput: { output: "done\n", exitCode: 0 } })];
const refused: Step[] = [update({ status: "failed", rawOutput: { error: "The user refused." } }), { say: "Then not." }];

const typesOf = (events: readonly AgentEvent[]): string[] =>
  events.map(({ type }) => type).filter((type) => /^(approval|shell|tool_(call_ready|result|error))/.test(type));

it("questions of an ACP agent make no events when everything is allowed", async () => {
  const events = await eventsOfRun(runAcp([...asked, ...ran], { approve: "auto" }));
  expect(typesOf(events)).toEqual([
    "tool_call_ready",
    "shell_start",
    "shell_stdout_delta",
    "shell_exit",
    "tool_result",
  ]);
  expect(all(events, "session_start")).toMatchObject([{ approvalMode: "auto" }]);
});

it("a denied command has no shell events, and its question and answer are events", async () => {
  const events = await eventsOfRun(runAcp([...asked, ...refused], { approve: "deny" }));
  expect(typesOf(events)).toEqual(["tool_call_ready", "approval_request", "approval_denied", "tool_error"]);
  expect(all(events, "session_start")).toMatchObject([{ approvalMode: "deny" }]);
});

it("the contract checker rejects streams without these rules", async () => {
  const events = await eventsOfRun(runAcp([...asked, ...ran], { approve: "ask" }), true);
  const broken = (change: (event: AgentEvent) => AgentEvent): string[] => {
    const checker = createStreamChecker();
    const findings = [...events.map(change).flatMap((event) => checker.add(event)), ...checker.end()];
    return findings.flatMap(({ finding }) => (finding.kind === "violation" ? [finding.rule] : []));
  };
  const inMode = (approvalMode: "ask" | "auto" | "deny") => (event: AgentEvent) =>
    event.type === "session_start" ? { ...event, approvalMode } : event;
  expect(broken(inMode("ask"))).toEqual([]);
  expect(broken(inMode("auto"))).toEqual(["approval.mode"]);
  expect(broken(inMode("deny"))).toEqual(["approval.mode"]);
});
