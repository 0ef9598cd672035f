import { asCount, asObject, asText, createJsonMachine, type Json } from "../../json-machine.ts";
import type { Machine } from "../../machine.ts";
import type { Signal } from "../../signal.ts";
import { Calls } from "./calls.ts";
import { Ledger } from "./ledger.ts";
import { Life } from "./life.ts";
import { Messages } from "./messages.ts";
import type { PiProfile } from "./profile.ts";
import { Questions } from "./questions.ts";
import { Sessions } from "./sessions.ts";
import { startupFacts } from "./startup.ts";
import { compactionFacts, extensionFacts, imageFacts, limitFacts, retryFacts } from "./upkeep.ts";

type Handler = (frame: Json) => Signal[] | undefined;

/** Reads the events that the json and the rpc mode share, and what each of them has besides. */
export function createPiMachine(profile: PiProfile, mode: "json" | "rpc"): Machine {
  const ledger = new Ledger();
  const onNextRun = () => ledger.reset();
  const life = new Life({ profile, stays: mode === "rpc", onNextRun });
  const sessions = new Sessions(onNextRun);
  const calls = new Calls(profile);
  const messages = new Messages(calls);
  const questions = new Questions(calls);
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
    switch (message.role) {
      case "assistant":
        return answered(message);
      case "toolResult":
        return calls.end(message, message);
      case "user":
        images = imageFacts(message);
        return undefined;
      case "system":
        return [...startupFacts(message), noteOf(frame)];
      default:
        return undefined;
    }
  };

  const answered = (message: Json): Signal[] => {
    const { signals, cost } = ledger.add(asObject(message.usage) ?? {});
    const stopReason = asText(message.stopReason);
    return [
      ...messages.end(message),
      ...signals,
      { kind: "callDone", ...(stopReason && { stopReason }), ...(cost && { cost }) },
      ...life.callEnded(message),
    ];
  };

  const compactionStart: Handler = (frame) => [...limitFacts(frame, ledger.lastTokens, contextWindow), noteOf(frame)];

  const compactionEnd: Handler = (frame) => {
    const facts = compactionFacts(frame);
    const told = facts.length > 0 ? facts : [noteOf(frame)];
    return frame.willRetry === true ? told : [...told, ...life.gaveUp()];
  };

  const response: Handler = (frame) => {
    const data = asObject(frame.data) ?? {};
    messages.effort = asText(data.thinkingLevel) ?? messages.effort;
    contextWindow = asCount(asObject(data.model)?.contextWindow) ?? contextWindow;
    if (frame.success !== false) return [...sessions.answered(frame), noteOf(frame)];
    const refused = () => life.refused(asText(frame.error) ?? "The prompt was refused.");
    return [noteOf(frame, "warn"), ...(frame.command === "prompt" ? prompting(refused) : [])];
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
    tool_execution_update: (frame) => calls.update(frame),
    tool_execution_end: (frame) => calls.end(frame, asObject(frame.result) ?? {}),
    auto_retry_start: retryFacts,
    auto_retry_end: (frame) => [noteOf(frame), ...(frame.success === true ? [] : life.gaveUp())],
    compaction_start: compactionStart,
    compaction_end: compactionEnd,
    auto_compaction_start: compactionStart,
    auto_compaction_end: compactionEnd,
    thinking_level_changed: (frame) => {
      messages.effort = asText(frame.level) ?? messages.effort;
      return undefined;
    },
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

  return createJsonMachine({
    frame(frame) {
      const type = asText(frame.type) ?? "";
      const before = life.before(type);
      const handler = Object.hasOwn(handlers, type) ? handlers[type] : undefined;
      return [...before, ...(handler?.(frame) ?? [noteOf(frame)])];
    },
    sent(frame) {
      const type = asText(frame.type) ?? "";
      return Object.hasOwn(sent, type) ? sent[type]?.(frame) : undefined;
    },
    stderr(text) {
      life.stderr(text);
      return undefined;
    },
    exit: (code, signal) => life.exit(code, signal),
  });
}

const noteOf = (frame: Json, level: "verbose" | "warn" = "verbose"): Signal => ({
  kind: "note",
  level,
  message: JSON.stringify(frame),
});
