import { imageTaken, noteOf, rateLimited } from "../../../facts.ts";
import { cutOff, fail, interrupted } from "../../../failure.ts";
import { given } from "../../../given.ts";
import { asObject, asObjects, asText, type Json, type JsonWire } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import { createStderrTail } from "../../../stderr-tail.ts";
import { type Answer, readAnswer, readRequest } from "./control.ts";
import { failureOf } from "./failures.ts";
import type { Profile } from "./profile.ts";
import { readResult, textOf } from "./results.ts";
import { Speaker } from "./speaker.ts";
import { Spending } from "./spending.ts";
import { createSubagents } from "./subagents.ts";
import { readCompaction, readRetry, readStartup } from "./system.ts";
import { createTools } from "./tools.ts";

type Reader = (frame: Json) => Signal[] | undefined;

/** Reads stream-json of one process: any number of prompts, each ended by a result. */
export function createWire(profile: Profile): JsonWire {
  const tools = createTools(profile);
  const subagents = createSubagents(tools);
  const spending = new Spending();
  const main = new Speaker(tools);
  const stderr = createStderrTail();
  /** Subagents that ask, by the id of the question. */
  const asking = new Map<string, string>();
  let session: string | undefined;
  let started = false;
  /** Whether a prompt waits for its result; undefined before the first. */
  let busy: boolean | undefined;
  let failed = false;

  /** By type, and by subtype for what is of the system. */
  const readers: Readonly<Record<string, Reader>> = {
    "system init": readInit,
    "system api_retry": readRetry,
    "system compact_boundary": readCompaction,
    "system permission_denied": readDenial,
    "system task_started": subagents.started,
    "system task_notification": subagents.notified,
    stream_event: (frame) => speak(frame, readPiece),
    assistant: (frame) => speak(frame, readAssistant),
    user: (frame) => speak(frame, readUser),
    result: readEnd,
    control_request(frame) {
      const child = tools.owners.get(asObject(frame.request)?.tool_use_id);
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
      asObject(rate_limit_info)?.status === "rejected" ? [rateLimited()] : undefined,
  };
  const readerOf = new Map(Object.entries(readers));

  /** What the frame says, of the subagent whose line it is. */
  function speak(frame: Json, read: (frame: Json, speaker: Speaker) => Signal[] | undefined): Signal[] | undefined {
    const child = asText(frame.parent_tool_use_id);
    if (!child) return read(frame, main);
    const { subagent, spawn } = subagents.speaking(child);
    return [...spawn, ...(of(child, read(frame, subagent.speaker)) ?? [noteOf(frame)])];
  }

  function answer(told: Answer): Signal[] {
    const child = asking.get(told.id);
    asking.delete(told.id);
    return of(child, [{ kind: "answer", ...told }]);
  }

  function readDenial({ tool_use_id: id, message }: Json): Signal[] {
    tools.asked.add(asText(id) ?? "");
    return of(tools.owners.get(id), [{ kind: "denied", ...given({ reason: asText(message) }) }]);
  }

  /** Told at the start of every prompt, and when work in the background wakes the agent. */
  function readInit(frame: Json): Signal[] {
    const startup = started ? [] : readStartup(frame);
    started = true;
    busy = true;
    failed = false;
    main.listen();
    tools.cwd = asText(frame.cwd) ?? tools.cwd;
    return [...startup, { kind: "prompt" }];
  }

  function readAssistant(frame: Json, speaker: Speaker): Signal[] | undefined {
    const message = asObject(frame.message) ?? {};
    const isError = frame.is_api_error_message === true || message.model === "<synthetic>";
    return isError ? [fail(failureOf(frame, profile.guidance))] : speaker.line(message);
  }

  function readUser(frame: Json, speaker: Speaker): Signal[] | undefined {
    const content = asObject(frame.message)?.content;
    const blocks = asObjects(content);
    const results = blocks.filter(({ type }) => type === "tool_result");
    speaker.listen();
    // With several results, nothing says of which one the structured account is.
    const line = results.length === 1 ? frame : { ...frame, tool_use_result: undefined };
    if (results.length > 0) return results.flatMap((block) => readResult(block, line, tools, subagents));
    if (/^\[Request interrupted by user/.test(textOf(content))) return [fail(interrupted)];
    if (asText(frame.parent_tool_use_id)) return [{ kind: "prompt" }];
    const images = blocks.flatMap(({ source }) => asText(asObject(source)?.media_type) ?? []);
    return frame.isReplay === true && images.length > 0 ? images.map(imageTaken) : undefined;
  }

  function readEnd(frame: Json): Signal[] {
    const isError = frame.is_error === true;
    const cost = spending.add(frame);
    const stopReason = asText(frame.stop_reason);
    busy = false;
    if (isError) spending.restart();
    return [
      ...(stopReason === undefined || failed ? [] : [main.finish(stopReason)]),
      ...(cost ? [{ kind: "cost", cost } as const] : []),
      ...counted(frame),
      ...(isError ? [fail(failureOf(frame, profile.guidance))] : []),
      { kind: "promptDone", ...(!isError && given({ text: asText(frame.result) })) },
    ];
  }

  /** Told by `init`, or by another frame that comes before it or without it. */
  function newSession({ subtype, session_id }: Json): Signal[] {
    const id = asText(session_id);
    if (!id || id === session || (session !== undefined && subtype !== "init")) return [];
    session = id;
    return [{ kind: "session", id }];
  }

  return {
    frame(frame) {
      const type = asText(frame.type) ?? "";
      const signals = readerOf.get(type === "system" ? `system ${asText(frame.subtype)}` : type)?.(frame);
      if (type === "assistant" || type === "stream_event") busy = true;
      if (!signals) return undefined;
      for (const { kind, child } of signals) {
        if (child === undefined && (kind === "fail" || kind === "call")) failed = kind === "fail";
      }
      return session === undefined || type === "system" ? [...newSession(frame), ...signals] : signals;
    },
    sent(frame) {
      if (frame.type === "control_response") return answer(readAnswer(frame));
      // A prompt while the agent works steers it: no new one begins.
      if (frame.type !== "user" || busy === true) return [noteOf(frame)];
      busy = true;
      failed = false;
      return [{ kind: "prompt" }];
    },
    stderr: (text) => stderr.add(text),
    exit(code, signal) {
      const isDone = busy === false && (session !== undefined || (code === 0 && signal === null));
      if (failed || isDone) return [];
      const told = profile.exits?.[code ?? -1] ?? (code === 130 ? interrupted : undefined);
      return [fail(told ?? cutOff(code, signal, stderr.text()))];
    },
  };
}

const readPiece = ({ event }: Json, speaker: Speaker) => speaker.piece(asObject(event) ?? {});

/** The same signals, of a subagent if one is named. */
function of<Signals extends Signal[] | undefined>(child: string | undefined, signals: Signals): Signals {
  return child === undefined ? signals : (signals?.map((signal) => ({ ...signal, child })) as Signals);
}

/** An agent that tells no money counts tokens, its side requests among them. */
function counted({ usage, modelUsage }: Json): Signal[] {
  if (modelUsage !== undefined || usage === undefined) return [];
  return [{ kind: "note", message: `Counted by the agent: ${JSON.stringify(usage)}` }];
}
