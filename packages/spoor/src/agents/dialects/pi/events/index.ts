import { noteOf } from "../../../facts.ts";
import { given } from "../../../given.ts";
import { asCount, asObject, asText, type Json, type JsonWire } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import { rowOf } from "../../../table.ts";
import { Calls } from "../calls/index.ts";
import { Questions } from "../calls/questions.ts";
import { Subagents } from "../calls/subagents.ts";
import type { PiProfile } from "../profile.ts";
import { Ledger } from "../results/ledger.ts";
import { Life } from "./life.ts";
import { Messages } from "./messages.ts";
import { Sessions } from "./session.ts";
import { startupFacts } from "./startup.ts";
import { compactionFacts, extensionFacts, imageFacts, limitFacts, retryFacts } from "./upkeep.ts";

type Handler = (frame: Json) => Signal[] | undefined;

/**
 * Reads the events that the json and the rpc mode share, and what each of them has besides. A subagent's are the same
 * as those of the agent, which tells of its subagents' subagents too.
 */
export function createPiWire(profile: PiProfile, mode: "json" | "rpc" | "subagent"): JsonWire {
  const ledger = new Ledger();
  const onNextRun = () => ledger.reset();
  const life = new Life({ profile, stays: mode !== "json", onNextRun });
  const sessions = new Sessions(onNextRun);
  const calls = new Calls(profile);
  const messages = new Messages(calls);
  const questions = new Questions(calls);
  const subagents = mode === "subagent" ? undefined : new Subagents(() => createPiWire(profile, "subagent"));
  let contextWindow = 0;
  /** Images of a prompt belong to the call that takes them. */
  let images: Signal[] = [];

  /** Which session a prompt went to may be told until the agent takes it up. */
  const prompting = (begin: () => Signal[]): Signal[] => [...(life.isIdle ? sessions.prompted() : []), ...begin()];

  const messageStart: Handler = (frame) => {
    const message = asObject(frame.message) ?? {};
    // The other roles are told whole by their end.
    if (message.role !== "assistant") return [];
    const taken = images;
    images = [];
    life.call();
    return [...messages.start(message), ...taken];
  };

  const messageEnd: Handler = (frame) => {
    const message = asObject(frame.message) ?? {};
    if (message.role === "assistant") return answered(message);
    if (message.role === "toolResult") return calls.end(message, message);
    if (message.role === "system") return [...startupFacts(message), noteOf(frame)];
    if (message.role === "user") images = imageFacts(message);
    return undefined;
  };

  const answered = (message: Json): Signal[] => {
    const { signals, cost } = ledger.add(asObject(message.usage) ?? {});
    const stopReason = asText(message.stopReason) || undefined;
    return [
      ...messages.end(message),
      ...signals,
      { kind: "callDone", ...given({ stopReason, cost }) },
      ...life.callEnded(message),
    ];
  };

  const compactionStart: Handler = (frame) => [...limitFacts(frame, ledger.lastTokens, contextWindow), noteOf(frame)];

  const compactionEnd: Handler = (frame) => {
    const facts = compactionFacts(frame);
    const told = facts.length > 0 ? facts : [noteOf(frame)];
    return frame.willRetry === true ? told : [...told, ...life.gaveUp()];
  };

  /** The prompt was a command of the agent's own: no model was asked. */
  const unasked = (): Signal[] => [...prompting(() => life.start()), ...life.done()];

  const response: Handler = (frame) => {
    const data = asObject(frame.data) ?? {};
    if (frame.command === "set_subagent_subscription" && subagents) subagents.areTold = data.level === "events";
    messages.effort = asText(data.thinkingLevel) ?? messages.effort;
    contextWindow = asCount(asObject(data.model)?.contextWindow) ?? contextWindow;
    if (frame.success !== false) {
      const isOver = frame.command === "prompt" && data.agentInvoked === false;
      return [...sessions.answered(frame), noteOf(frame), ...(isOver ? unasked() : [])];
    }
    const refused = () => life.refused(asText(frame.error) ?? "The prompt was refused.");
    return [noteOf(frame, "warn"), ...(frame.command === "prompt" ? prompting(refused) : [])];
  };

  /** Of subagents, told beside the call that spawned them: what is not new in it is noted. */
  const spawned = (told: Signal[] | undefined, result: unknown): Signal[] | undefined => {
    const news = subagents?.results(asObject(result) ?? {}) ?? [];
    return news.length > 0 ? [...(told ?? []), ...news] : told;
  };

  const stateOf = (state: unknown): Signal[] | undefined => {
    const news = subagents?.state(asObject(state) ?? {}) ?? [];
    return news.length > 0 ? news : undefined;
  };

  const handlers: Readonly<Record<string, Handler>> = {
    session: (frame) => sessions.header(frame),
    agent_start: () => prompting(() => life.start()),
    agent_end: (frame) => life.end(frame),
    agent_settled: () => life.done(),
    // A message of the model begins each turn, and says which model it is.
    turn_start: () => [],
    turn_end: () => [],
    message_start: messageStart,
    message_update: (frame) => messages.update(frame),
    message_end: messageEnd,
    tool_execution_start: (frame) => calls.start(frame),
    tool_execution_update: (frame) => spawned(calls.update(frame), frame.partialResult),
    tool_execution_end: (frame) => spawned(calls.end(frame, asObject(frame.result) ?? {}), frame.result),
    subagent_lifecycle: (frame) => stateOf(frame.payload),
    subagent_progress: (frame) => stateOf(asObject(frame.payload)?.progress),
    subagent_event: (frame) => subagents?.event(asObject(frame.payload) ?? {}),
    auto_retry_start: retryFacts,
    auto_retry_end: (frame) => [noteOf(frame), ...(frame.success === true ? [] : life.gaveUp())],
    compaction_start: compactionStart,
    compaction_end: compactionEnd,
    auto_compaction_start: compactionStart,
    auto_compaction_end: compactionEnd,
    thinking_level_changed: (frame) => {
      messages.effort = asText(frame.level) ?? asText(frame.thinkingLevel) ?? messages.effort;
      return undefined;
    },
    notice: (frame) => [noteOf(frame, frame.level === "warning" ? "warn" : "verbose")],
    prompt_result: (frame) => (frame.agentInvoked === false ? unasked() : undefined),
    extension_ui_request: (frame) => questions.request(frame),
    extension_error: extensionFacts,
    response,
  };

  const sent: Readonly<Record<string, Handler>> = {
    prompt: () => life.prompted(),
    abort: () => life.abort(),
    extension_ui_response: (frame) => questions.answer(frame),
    switch_session: (frame) => sessions.asked(frame),
  };

  return {
    frame(frame) {
      const type = asText(frame.type) ?? "";
      const before = life.before(type);
      return [...before, ...(rowOf(handlers, type)?.(frame) ?? [noteOf(frame)])];
    },
    sent: (frame) => rowOf(sent, asText(frame.type) ?? "")?.(frame),
    stderr: (line) => life.stderr(line),
    exit: (code, signal) => life.exit(code, signal),
  };
}
