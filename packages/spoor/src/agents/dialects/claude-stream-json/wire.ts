import { asObject, asObjects, asText, type Json, type JsonWire } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";
import { type Answer, readAnswer, readRequest } from "./control.ts";
import { failureOf } from "./failures.ts";
import type { Profile } from "./profile.ts";
import { readResult, textOf } from "./results.ts";
import { Speaker } from "./speaker.ts";
import { Spending } from "./spending.ts";
import { readCompaction, readRetry, readStartup } from "./system.ts";
import { Tasks } from "./tasks.ts";
import { Tools } from "./tools.ts";

const STDERR_KEPT = 4_000;

type Readers = Record<string, (frame: Json) => Signal[] | undefined>;

/** Reads stream-json of one process: any number of prompts, each ended by a result. */
export function createWire(profile: Profile): JsonWire {
  const tools = new Tools(profile);
  const tasks = new Tasks(tools);
  const spending = new Spending();
  const main = new Speaker(tools);
  const subagents = new Map<string, Speaker>();
  /** Subagents that ask, by the id of the question. */
  const asking = new Map<string, string>();
  let session: string | undefined;
  let started = false;
  /** Whether a prompt waits for its result; undefined before the first. */
  let busy: boolean | undefined;
  let failed = false;
  let stderr = "";

  const readers: Readers = {
    system: readSystem,
    stream_event: (frame) => speak(frame, readEvent),
    assistant: (frame) => speak(frame, readAssistant),
    user: (frame) => speak(frame, readUser),
    result: readEnd,
    control_request(frame) {
      const child = tools.ownerOf(asObject(frame.request)?.tool_use_id);
      if (child !== undefined) asking.set(asText(frame.request_id) ?? "", child);
      return of(child, readRequest(frame, tools));
    },
    control_cancel_request: ({ request_id }) =>
      answer({ id: asText(request_id) ?? "", granted: false, reason: "The agent took the question back." }),
    control_response() {
      busy ??= false;
      return undefined;
    },
    rate_limit_event: ({ rate_limit_info }) =>
      asObject(rate_limit_info)?.status === "rejected" ? [{ kind: "fact", fact: { type: "rate_limited" } }] : undefined,
  };
  const readerOf = new Map(Object.entries(readers));

  /** What the frame says, of the subagent whose line it is. */
  function speak(frame: Json, read: (frame: Json, speaker: Speaker) => Signal[] | undefined): Signal[] | undefined {
    const child = asText(frame.parent_tool_use_id);
    if (!child) return read(frame, main);
    const speaker = subagents.get(child) ?? new Speaker(tools, child);
    subagents.set(child, speaker);
    const spawn = tasks.ensure(child);
    return [...spawn, ...(of(child, read(frame, speaker)) ?? [{ kind: "note", message: JSON.stringify(frame) }])];
  }

  function answer(given: Answer): Signal[] {
    const child = asking.get(given.id);
    asking.delete(given.id);
    return of(child, [{ kind: "answer", ...given }]) ?? [];
  }

  function readSystem(frame: Json): Signal[] | undefined {
    switch (frame.subtype) {
      case "init":
        return readInit(frame);
      case "api_retry":
        return readRetry(frame);
      case "compact_boundary":
        return readCompaction(frame);
      case "permission_denied": {
        tools.asked.add(asText(frame.tool_use_id) ?? "");
        const reason = asText(frame.message);
        return of(tools.ownerOf(frame.tool_use_id), [{ kind: "denied", ...(reason !== undefined && { reason }) }]);
      }
      default:
        return tasks.frame(frame);
    }
  }

  /** Told at the start of every prompt, and when work in the background wakes the agent. */
  function readInit(frame: Json): Signal[] {
    const isFirst = !started;
    const before = session;
    started = true;
    busy = true;
    failed = false;
    main.listen();
    tools.cwd = asText(frame.cwd) ?? tools.cwd;
    session = asText(frame.session_id) ?? session;
    const told: Signal[] = session === undefined || session === before ? [] : [{ kind: "session", id: session }];
    return [...told, ...(isFirst ? readStartup(frame) : []), { kind: "prompt" }];
  }

  function readEvent({ event }: Json, speaker: Speaker): Signal[] | undefined {
    return speaker.event(asObject(event) ?? {});
  }

  function readAssistant(frame: Json, speaker: Speaker): Signal[] | undefined {
    const message = asObject(frame.message) ?? {};
    const isError = frame.is_api_error_message === true || message.model === "<synthetic>";
    return isError ? [{ kind: "fail", event: failureOf(frame, profile) }] : speaker.line(message);
  }

  function readUser(frame: Json, speaker: Speaker): Signal[] | undefined {
    const content = asObject(frame.message)?.content;
    const blocks = asObjects(content);
    const results = blocks.filter(({ type }) => type === "tool_result");
    speaker.listen();
    if (results.length > 0) return results.flatMap((block) => readToolResult(block, frame, results.length));
    if (/^\[Request interrupted by user/.test(textOf(content)))
      return [{ kind: "fail", event: { type: "interrupted" } }];
    if (asText(frame.parent_tool_use_id)) return [{ kind: "prompt" }];
    const images = blocks.flatMap(({ source }) => asText(asObject(source)?.media_type) ?? []);
    if (frame.isReplay !== true || images.length === 0) return undefined;
    return images.map((mimeType) => ({ kind: "fact", fact: { type: "image_input_ack", mimeType } }));
  }

  function readToolResult(block: Json, frame: Json, among: number): Signal[] {
    const id = asText(block.tool_use_id) ?? "";
    const detail = among === 1 ? frame.tool_use_result : undefined;
    const meta = asObjects(frame.tool_result_meta).find((each) => each.id === id) ?? {};
    const ended = tasks.result(id, textOf(block.content), block.is_error === true);
    return [...ended, ...readResult(block, detail, meta, tools)];
  }

  function readEnd(frame: Json): Signal[] {
    const isError = frame.is_error === true;
    const cost = spending.add(frame);
    const stopReason = asText(frame.stop_reason);
    const text = asText(frame.result);
    busy = false;
    if (isError) spending.restart();
    return [
      ...(stopReason === undefined || failed ? [] : main.finish(stopReason)),
      ...(cost ? [{ kind: "cost", cost } as const] : []),
      ...counted(frame),
      ...(isError ? [{ kind: "fail", event: failureOf(frame, profile) } as const] : []),
      { kind: "promptDone", ...(!isError && text !== undefined && { text }) },
    ];
  }

  /** A frame that tells the session before `init` does, or without one. */
  function newSession(frame: Json): Signal[] {
    const id = asText(frame.session_id);
    if (!id || frame.subtype === "init") return [];
    session = id;
    return [{ kind: "session", id }];
  }

  return {
    frame(frame) {
      const type = asText(frame.type) ?? "";
      const signals = readerOf.get(type)?.(frame);
      if (frame.type === "assistant" || frame.type === "stream_event") busy = true;
      if (!signals) return undefined;
      for (const { kind, child } of signals) {
        if (child === undefined && (kind === "fail" || kind === "call")) failed = kind === "fail";
      }
      return session === undefined ? [...newSession(frame), ...signals] : signals;
    },
    sent(frame) {
      if (frame.type === "control_response") return answer(readAnswer(frame));
      // A prompt while the agent works steers it: no new one begins.
      if (frame.type !== "user" || busy === true) return [{ kind: "note", message: JSON.stringify(frame) }];
      busy = true;
      failed = false;
      return [{ kind: "prompt" }];
    },
    stderr(text) {
      stderr = `${stderr}${text}\n`.slice(-STDERR_KEPT);
      return [{ kind: "log", source: "stderr", line: text }];
    },
    exit(code, signal) {
      const isIdle = busy === false && code === 0 && signal === null;
      if (failed || isIdle || (busy === false && session !== undefined)) return [];
      const told = profile.exits?.[code ?? -1];
      if (told) return [{ kind: "fail", event: told }];
      if (signal === "SIGINT" || code === 130) return [{ kind: "fail", event: { type: "interrupted" } }];
      return [{ kind: "fail", event: { type: "crash", exitCode: signal === null ? code || -1 : -1, stderr } }];
    },
  };
}

/** The same signals, of a subagent if one is named. */
function of(child: string | undefined, signals: Signal[] | undefined): Signal[] | undefined {
  return child === undefined ? signals : signals?.map((signal) => ({ ...signal, child }));
}

/** An agent that tells no money counts tokens, its side requests among them. */
function counted({ usage, modelUsage }: Json): Signal[] {
  if (modelUsage !== undefined || usage === undefined) return [];
  return [{ kind: "note", message: `Counted by the agent: ${JSON.stringify(usage)}` }];
}
