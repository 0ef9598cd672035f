import { asArray, asObject, asText, type Json, parseObject } from "../../json-machine.ts";
import type { Answer, Driver, LaunchRequest, LiveWire, McpServer } from "../../machine.ts";

/** How to start an agent that speaks ACP; everything after that is the same for all of them. */
export interface AcpLaunch {
  command: string;
  args: readonly string[];
  allow?: readonly string[];
}

/** Ids of our own requests. Prompts count on from here. */
const INITIALIZE = 0;
const SESSION = 1;

/** An ACP agent as a child process. It reads and writes files itself: we offer it neither ours nor a terminal. */
export function acpLive({ command, args, allow = [] }: AcpLaunch): LiveWire {
  return { command, takesMcpServers: true, launch: () => ({ args, allow, stdin: "pipe" }), createDriver };
}

function createDriver({ prompt, cwd, resume, approve, mcpServers = [] }: LaunchRequest): Driver {
  let next = SESSION;
  let sessionId: string | undefined = resume;
  const asked = new Map<string, Json>();

  const request = (method: string, params: object, id = ++next): string =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const promptFrame = (text: string): string =>
    request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  const openSession = (): string => {
    const params = { cwd, mcpServers: mcpServers.map(described) };
    return resume === undefined
      ? request("session/new", params, SESSION)
      : request("session/load", { sessionId: resume, ...params }, SESSION);
  };
  const respond = (question: Json, answer: Answer): string =>
    JSON.stringify({ jsonrpc: "2.0", id: question.id, result: { outcome: outcomeOf(question, answer) } });

  return {
    // Few agents end with their input, so none is relied on to.
    endsWithInput: false,
    open: () => [request("initialize", { protocolVersion: 1, clientCapabilities }, INITIALIZE)],
    receive(line) {
      const frame = parseObject(line);
      if (!frame) return [];
      const method = asText(frame.method);
      if (method === undefined && frame.id === INITIALIZE) return [openSession()];
      if (method === undefined && frame.id === SESSION) {
        sessionId = asText(asObject(frame.result)?.sessionId) ?? sessionId;
        return sessionId === undefined ? [] : [promptFrame(prompt)];
      }
      if (method === undefined || frame.id === undefined) return [];
      if (method !== "session/request_permission") return [refused(frame.id, method)];
      if (approve !== "ask") return [respond(frame, { granted: approve === "auto" })];
      asked.set(String(frame.id), frame);
      return [];
    },
    follow: (text) => [promptFrame(text)],
    answer(id, answer) {
      const question = asked.get(id);
      asked.delete(id);
      return question ? [respond(question, answer)] : [];
    },
    interrupt: () => [JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } })],
  };
}

const described = ({ name, command, args = [], env = {} }: McpServer) => ({
  name,
  command,
  args,
  env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
});

const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

/** The option the agent offers for this answer, once rather than for good. */
function outcomeOf(question: Json, { granted }: Answer): object {
  const options = asArray(asObject(question.params)?.options).map((option) => asObject(option) ?? {});
  const kinds = granted ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const option = kinds.map((kind) => options.find((candidate) => candidate.kind === kind)).find(Boolean);
  return option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" };
}

/** A request we do not serve must still be answered, or the agent waits for ever. */
const refused = (id: unknown, method: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: `${method} is not offered.` } });
