import { contextCompacted, contextLimitWarning, imageInputAck, skillLoaded } from "../../kit/fact-signals.ts";
import { fail } from "../../kit/failures.ts";
import { asCount, asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import { assignToSubagent } from "../../kit/subagent-signals.ts";
import type { Signal } from "../../signal.ts";
import { abortFailure, type Context, sessionFailure } from "./copilot-failures.ts";
import { permissionCompleted, permissionRequested } from "./copilot-permissions.ts";
import { SessionAgent, usageOf } from "./session-agent.ts";

/** Reads the events of one session, in any dialect: an envelope with `type`, `data` and `agentId`. */
export class Session {
  /** By the id of the subagent; the main agent has none. */
  readonly #speakers = new Map<string | undefined, SessionAgent>();
  readonly #skills = new Set<string>();
  #context: Context = { usedTokens: 0, maxTokens: 0 };
  #cwd: string | undefined;
  /** Whether we saw the current prompt being sent. */
  #isAsked = false;

  /** A prompt is sent; the session will repeat it. */
  asked(): Signal[] {
    this.#isAsked = true;
    return [{ kind: "prompt" }];
  }

  /** Returns `undefined` for an unknown event. */
  event(event: Json): Signal[] | undefined {
    const type = asText(event.type) ?? "";
    const data = asObject(event.data) ?? {};
    const agent = asText(event.agentId);
    if (repeats.has(type)) return [];
    const lifecycle = lookUp(subagentReaders, type);
    if (lifecycle) return lifecycle(this, agent ?? asText(data.toolCallId) ?? "", data);
    const speaker = this.#speaker(agent);
    const received = lookUp(agentReaders, type)?.(speaker, data) ?? lookUp(sessionReaders, type)?.(this, data);
    return assignToSubagent(agent, received);
  }

  /** The prompt as the session repeats it, with its attachments. */
  prompted(data: Json): Signal[] {
    const isReported = this.#isAsked;
    this.#isAsked = false;
    const types = asObjects(data.attachments).map(({ mimeType }) => asText(mimeType) ?? "");
    const images = types.filter((type) => type.startsWith("image/")).map(imageInputAck);
    // A message that Copilot sends to itself on autopilot is no prompt.
    return isReported || data.isAutopilotContinuation === true ? images : [{ kind: "prompt" }, ...images];
  }

  opened({ selectedModel, context }: Json): undefined {
    this.#cwd = asText(asObject(context)?.cwd) ?? this.#cwd;
    const main = this.#speaker(undefined);
    main.calls.cwd = this.#cwd;
    main.configure(selectedModel);
  }

  /** The event comes again with every prompt. */
  skillsLoaded({ skills }: Json): Signal[] {
    return asObjects(skills).flatMap(({ name, path, source }) => {
      const skillName = asText(name);
      if (skillName === undefined || this.#skills.has(skillName)) return [];
      this.#skills.add(skillName);
      return [skillLoaded(skillName, source === "builtin" ? "built-in" : (asText(path) ?? asText(source) ?? ""))];
    });
  }

  contextUsed({ currentTokens, tokenLimit }: Json): undefined {
    this.#context = { usedTokens: asCount(currentTokens) ?? 0, maxTokens: asCount(tokenLimit) ?? 0 };
  }

  /** The token counts may be unknown yet; the message contains the percentage. */
  warned({ warningType, message }: Json): Signal[] | undefined {
    if (!/compaction|context/.test(asText(warningType) ?? "")) return undefined;
    const { usedTokens, maxTokens } = this.#context;
    return [contextLimitWarning(usedTokens, maxTokens, Number(/(\d+)%/.exec(asText(message) ?? "")?.[1] ?? 0))];
  }

  failed(data: Json): Signal[] {
    return [fail(sessionFailure(data, this.#context))];
  }

  spawned(id: string, data: Json): Signal[] {
    const call = [...this.#speakers.values()].map(({ calls }) => calls.find(asText(data.toolCallId))).find(Boolean);
    const prompt = asText(asObject(call?.input)?.prompt) ?? asText(data.agentDescription) ?? "";
    this.#speaker(id).configure(data.model ?? this.#speaker(undefined).model);
    return [
      { kind: "spawn", id, name: asText(data.agentName) ?? "unknown", prompt, tracked: true },
      { kind: "session", id, child: id },
    ];
  }

  reported(id: string, data: Json): Signal[] {
    if (data.cancelled === true) return [{ kind: "spawnEnd", id, error: "The subagent was cancelled." }];
    return [{ kind: "spawnEnd", id, summary: this.#speaker(id).lastMessage }];
  }

  #speaker(agent: string | undefined): SessionAgent {
    const known = this.#speakers.get(agent);
    if (known) return known;
    const speaker = new SessionAgent();
    speaker.calls.cwd = this.#cwd;
    this.#speakers.set(agent, speaker);
    return speaker;
  }
}

type Readers<Of> = Readonly<Record<string, (of: Of, data: Json) => Signal[] | undefined>>;

const agentReaders: Readers<SessionAgent> = {
  "session.model_change": (speaker, { newModel }) => speaker.configure(newModel),
  "session.tools_updated": (speaker, { model }) => speaker.configure(model),
  "assistant.turn_start": (speaker) => speaker.turnStarted(),
  "model.call_start": (speaker, data) => speaker.callStarted(data),
  "model.call_failure": (speaker, data) => speaker.callFailed(data),
  "assistant.turn_retry": (speaker, data) => speaker.retried(data),
  "assistant.message_delta": (_, { messageId, deltaContent }) => [
    { kind: "text", key: asText(messageId) ?? "", delta: asText(deltaContent) ?? "" },
  ],
  "assistant.reasoning_delta": (speaker, data) => speaker.thinking(data),
  "assistant.reasoning": (speaker, data) => speaker.thought(data),
  "assistant.tool_call_delta": ({ calls }, data) => calls.piece(data),
  "assistant.message": (speaker, data) => speaker.message(data),
  "assistant.usage": (speaker, data) => speaker.usage(data),
  "tool.execution_start": ({ calls }, data) => calls.ready(data),
  "tool.shell_output": ({ calls }, data) => calls.printed(data),
  "tool.execution_partial_result": ({ calls }, data) => calls.partial(data),
  "tool.execution_complete": ({ calls }, data) => calls.ended(data),
  "permission.requested": ({ calls }, data) => permissionRequested(data, calls),
  "permission.completed": ({ calls }, data) => permissionCompleted(data, calls),
  "skill.invoked": ({ calls }, { name }) => calls.skillInvoked(asText(name) ?? "", "event"),
};

const sessionReaders: Readers<Session> = {
  "session.start": (session, data) => session.opened(data),
  "session.resume": (session, data) => session.opened(data),
  "session.skills_loaded": (session, data) => session.skillsLoaded(data),
  "session.usage_info": (session, data) => session.contextUsed(data),
  "session.warning": (session, data) => session.warned(data),
  "session.error": (session, data) => session.failed(data),
  // The frame contains the agent's own instructions, which are left out.
  "system.message": () => [{ kind: "note", message: "The agent's instructions were given to the model." }],
  "session.info": (_, { infoType }) =>
    /^(model_retry|file_created|cancellation)$/.test(`${infoType}`) ? [] : undefined,
  "session.compaction_complete": (_, data) => shortened(data),
  "session.truncation": (_, data) => truncated(data),
  "session.autopilot_stopped": (_, { reason }) =>
    reason === "cap_reached" ? [fail({ type: "turn_limit", maxTurns: 0 })] : undefined,
  "user.message": (session, data) => session.prompted(data),
  abort: (_, data) => [fail(abortFailure(data))],
};

const subagentReaders: Readonly<Record<string, (session: Session, id: string, data: Json) => Signal[]>> = {
  "subagent.started": (session, id, data) => session.spawned(id, data),
  "subagent.completed": (session, id, data) => session.reported(id, data),
  "subagent.failed": (_, id, { error }) => [{ kind: "spawnEnd", id, error: asText(error) ?? "The subagent failed." }],
};

/** Events that add nothing to others; those of `model.` repeat events of a higher layer. */
const repeats: ReadonlySet<string> = new Set([
  ...["model.message", "model.messages_snapshot", "model.model_call_failure", "model.model_call_started"],
  ...["model.model_call_success", "model.response", "model.tool_execution", "model.turn_ended", "model.turn_failed"],
  ...["model.turn_retry", "model.turn_started", "model.call_finished", "model.call_final_result"],
  ...["agent.interrupted", "assistant.idle", "assistant.message_start", "assistant.streaming_delta"],
  ...["assistant.turn_end", "pending_messages.modified", "session.background_tasks_changed"],
  ...["user_input.completed", "user_input.requested"],
]);

function shortened(data: Json): Signal[] | undefined {
  if (data.success === false) return undefined;
  const used = asObject(data.compactionTokensUsed);
  const [before = 0, after = 0] = [data.preCompactionTokens, data.postCompactionTokens].map(asCount);
  return [...(used ? [usageOf(used)] : []), contextCompacted(data.summaryContent, before - after)];
}

function truncated(data: Json): Signal[] | undefined {
  const [removed = 0, tokens = 0] = [...[data.messagesRemovedDuringTruncation, data.tokensRemovedDuringTruncation]].map(
    asCount,
  );
  return removed === 0
    ? undefined
    : [contextCompacted(`${removed} ${removed === 1 ? "message was" : "messages were"} left out.`, tokens)];
}
