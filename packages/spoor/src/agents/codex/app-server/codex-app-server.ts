import { noteOfFrame, recoverableError, skillLoaded } from "../../kit/fact-signals.ts";
import { fail, interrupted } from "../../kit/failures.ts";
import { createJsonMachine, type JsonFrameReader } from "../../kit/json-machine.ts";
import { createRpcReader, type RpcResponse } from "../../kit/json-rpc.ts";
import { asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import { assignToSubagent } from "../../kit/subagent-signals.ts";
import type { Dialect } from "../../machine.ts";
import type { Signal } from "../../signal.ts";
import { failedExit, failure } from "../items/codex-failures.ts";
import { ApprovalRequests } from "./approval-requests.ts";
import { Thread } from "./codex-thread.ts";
import { readNotification } from "./notifications.ts";
import { createLimits } from "./rate-limits.ts";
import { isOpening, opened, versionIn } from "./thread-opening.ts";

/** `codex app-server`: JSON-RPC without the version field, in both directions. */
export const appServer: Dialect = {
  name: "app-server",
  recognises: (frames) => frames.some(({ value }) => isFrame(asObject(value) ?? {})),
  streams: { text: true, toolCalls: false, thinking: true },
  canAsk: true,
  createMachine: () => createJsonMachine(createAppServerReader()),
};

const isFrame = ({ jsonrpc, method, result }: Json): boolean =>
  jsonrpc === undefined &&
  (/^(?:thread|turn|item|mcpServer|remoteControl|account)\//.test(asText(method) ?? "") ||
    asText(asObject(result)?.codexHome) !== undefined);

/** One server may have several threads: the one that the client opened, and those of its subagents. */
function createAppServerReader(): JsonFrameReader {
  const threads = new Map<string, Thread>();
  const requests = new ApprovalRequests();
  const limits = createLimits();
  const rpc = createRpcReader({ notified, requested, answered, sent, responded });
  let main: string | undefined;
  let version: string | undefined;

  const threadOf = (id: string): Thread => {
    const known = threads.get(id);
    if (known) return known;
    const thread = new Thread(id);
    threads.set(id, thread);
    return thread;
  };

  const belonging = (id: string, signals: Signal[]): Signal[] =>
    assignToSubagent(id === main ? undefined : id, signals);

  function open(result: Json, request: Json | undefined): Signal[] {
    const thread = asObject(result.thread) ?? {};
    const id = asText(thread.id);
    if (!id) return [];
    main = id;
    threadOf(id).configure(result, thread);
    return opened(result, thread, request, version);
  }

  function responded({ request, method, params, result, error }: RpcResponse): Signal[] | undefined {
    if (error) return refused(method, asText(params.threadId), error);
    if (result && isOpening(result)) return open(result, request);
    if (method === "skills/list") return skills(result);
    version = versionIn(result) ?? version;
    // The response adds nothing to the request; notifications report what follows.
    return method.startsWith("turn/") ? [] : undefined;
  }

  function refused(method: string, id: string | undefined, error: Json): Signal[] {
    const message = asText(error.message) ?? "The request was refused.";
    if (isOpeningMethod.test(method) || (method === "turn/start" && id === main)) {
      if (id !== undefined && id === main) threadOf(id).isActive = false;
      return [...failure({ message }), { kind: "promptDone" }];
    }
    return [recoverableError(message)];
  }

  function notified(method: string, params: Json): Signal[] | undefined {
    const id = asText(params.threadId);
    if (method === "thread/started") {
      const thread = asObject(params.thread) ?? {};
      return asText(thread.parentThreadId) ? undefined : open({ ...thread, thread }, undefined);
    }
    if (method === "serverRequest/resolved" && requests.isAnswered(params.requestId)) return [];
    if (id === undefined) return limits(method, params);
    const found = discover(id);
    const thread = threadOf(id);
    const reported = readNotification(method, thread, params);
    if (!reported) return found && [...found, noteOfFrame({ method, params })];
    // Most notifications are pieces of the main agent's output, so this path is short.
    if (!found && id === main && !reported.some(isSpawn)) return reported;
    const ended = id === main ? [] : thread.ends(method, params);
    return [...(found ?? []), ...belonging(id, reported).flatMap((signal) => adopt(signal, params)), ...ended];
  }

  /** Without other information, the first thread that appears is the one that was opened. */
  function discover(id: string): Signal[] | undefined {
    if (main !== undefined || rpc.clientRequests.methods.some((method) => isOpeningMethod.test(method)))
      return undefined;
    main = id;
    return [{ kind: "session", id }];
  }

  /** A subagent's session is its thread. Only the call that spawned it names its model. */
  function adopt(signal: Signal, params: Json): Signal[] {
    if (!isSpawn(signal)) return [signal];
    threadOf(signal.id).configure(asObject(params.item) ?? {}, {});
    return [
      { ...signal, tracked: true },
      { kind: "session", id: signal.id, child: signal.id },
    ];
  }

  function requested(_: string, params: Json, frame: Json): Signal[] | undefined {
    const id = asText(params.threadId) ?? main ?? "";
    const asked = requests.asked(frame, threadOf(id));
    return asked && belonging(id, asked);
  }

  function answered(_: RpcResponse, frame: Json): Signal[] | undefined {
    const answer = requests.answered(frame);
    return answer && belonging(answer.threadId, answer.signals);
  }

  function sent(method: string, params: Json): Signal[] | undefined {
    return main !== undefined && params.threadId === main ? threadOf(main).sent(method, params) : undefined;
  }

  return {
    ...rpc,
    exit(code, signal, stderr) {
      const thread = main === undefined ? undefined : threads.get(main);
      if (thread?.isActive && thread.isInterrupted) return [fail(interrupted)];
      const isIdle = !rpc.isSilent && !thread?.isActive;
      return isIdle && (code === 0 || thread?.hasEnded) ? [] : [failedExit(code, signal, stderr)];
    },
  };
}

const isSpawn = (signal: Signal): signal is Extract<Signal, { kind: "spawn" }> => signal.kind === "spawn";

const isOpeningMethod = /^thread\/(?:start|resume|fork)$/;

function skills(result: Json | undefined): Signal[] {
  const found = asObjects(result?.data).flatMap((entry) => asObjects(entry.skills));
  return found.flatMap(({ name, path }) =>
    asText(name) ? [skillLoaded(asText(name) ?? "", asText(path) ?? "built-in")] : [],
  );
}
