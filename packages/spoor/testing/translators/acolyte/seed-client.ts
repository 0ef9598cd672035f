/**
 * A client of the Acolyte protocol, written only from its public description: JSON envelopes with id, type and an optional
 * payload, a bearer key in the WebSocket's subprotocol, and the invariants of that page, each of which it checks. It uses
 * nothing of this project. What it receives may have its fields in `payload` or beside it.
 */

export type Fields = Readonly<Record<string, unknown>>;
export interface Message extends Fields {
  id: string;
  type: string;
}

const SERVER_TYPES = [
  ...["status.result", "chat.accepted", "chat.queued", "chat.started", "chat.event", "chat.done", "chat.error"],
  ...["chat.abort.result", "task.status.result", "error"],
];
const EVENT_TYPES = [
  ...["status", "reasoning", "tool-call", "tool-output", "tool-result", "text-delta", "usage", "checklist", "error"],
];

/** What the client knows of one request. */
export interface Request {
  readonly id: string;
  readonly messages: Message[];
  readonly events: Fields[];
  /** Every position, in the order in which they were told. */
  readonly positions: number[];
  /** Resolves with `chat.done` or `chat.error`. */
  readonly ended: Promise<Message>;
  /** Resolves as soon as a message satisfies this. */
  until(matches: (message: Message) => boolean): Promise<Message>;
  readonly text: string;
  readonly taskId: string;
}

export interface Client {
  /** Ways in which the server broke the protocol. Must stay empty. */
  readonly violations: string[];
  readonly messages: Message[];
  /** The subprotocol that the server chose. */
  readonly protocol: string;
  /** Resolves with the code with which the connection was closed. */
  readonly closed: Promise<number>;
  /** Starts a chat. `wrap`: the request is a field of the payload. */
  start(request: unknown, options?: { id?: string; wrap?: boolean }): Request;
  abort(requestId: string): Promise<boolean>;
  status(): Promise<Fields>;
  taskStatus(taskId: string): Promise<Fields | null>;
  /** Sends something that may not be a message at all. */
  raw(data: string | Uint8Array<ArrayBuffer>): void;
  until(matches: (message: Message) => boolean): Promise<Message>;
  close(code?: number): void;
}

let count = 0;
export const newId = (): string => `rpc_${Date.now().toString(36)}${++count}`;

export async function connect(url: string, apiKey: string): Promise<Client> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/v1/rpc`, [`bearer.${apiKey}`]);
  const violations: string[] = [];
  const messages: Message[] = [];
  const requests = new Map<string, ReturnType<typeof createRequest>>();
  const waiting = new Set<() => void>();
  const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));

  socket.addEventListener("message", ({ data }) => {
    const { payload, ...envelope } = JSON.parse(String(data));
    const message: Message = { ...payload, ...envelope };
    messages.push(message);
    if (typeof message.id !== "string") violations.push(`no id: ${data}`);
    if (!SERVER_TYPES.includes(message.type)) violations.push(`unknown type: ${data}`);
    const isOfChat = message.type.startsWith("chat.") && message.type !== "chat.abort.result";
    const request = requests.get(message.id);
    if (isOfChat && !request) violations.push(`nobody asked: ${data}`);
    if (isOfChat) request?.take(message, (problem) => violations.push(`${problem}: ${data}`));
    for (const check of waiting) check();
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("The connection was refused.")));
  });

  function until(matches: (message: Message) => boolean, among: readonly Message[] = messages): Promise<Message> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = among.find(matches);
        if (!found) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
      void closed.then((code) => {
        check();
        reject(new Error(`The connection was closed with ${code}.`));
      });
    });
  }

  const send = (message: object) => socket.send(JSON.stringify(message));
  const call = async (type: string, payload?: object): Promise<Message> => {
    const id = newId();
    send({ id, type, ...(payload && { payload }) });
    return until((message) => message.id === id);
  };

  return {
    violations,
    messages,
    closed,
    protocol: socket.protocol,
    start(payload, { id = newId(), wrap = false } = {}) {
      const request = requests.get(id) ?? createRequest(id, (matches, among) => until(matches, among));
      requests.set(id, request);
      send({ id, type: "chat.start", payload: wrap ? { request: payload } : payload });
      return request;
    },
    abort: async (requestId) => (await call("chat.abort", { requestId })).aborted === true,
    status: async () => (await call("status.get")).status as Fields,
    taskStatus: async (taskId) => (await call("task.status", { taskId })).task as Fields | null,
    raw: (data) => socket.send(data),
    until,
    close: (code) => socket.close(code),
  };
}

/** The messages of one request, in their order. */
function createRequest(
  id: string,
  until: (matches: (message: Message) => boolean, among: readonly Message[]) => Promise<Message>,
) {
  const messages: Message[] = [];
  const events: Fields[] = [];
  const positions: number[] = [];
  const calls = new Set<unknown>();
  let stage: "sent" | "accepted" | "queued" | "started" | "ended" = "sent";
  const isEnd = ({ type }: Message) => type === "chat.done" || type === "chat.error";
  const ended = until(isEnd, messages);
  ended.catch(() => {});
  return {
    id,
    messages,
    events,
    positions,
    ended,
    until: (matches: (message: Message) => boolean) => until(matches, messages),
    get text() {
      return events.map(({ type, text }) => (type === "text-delta" ? text : "")).join("");
    },
    get taskId() {
      return String(messages.find(({ type }) => type === "chat.accepted")?.taskId ?? "");
    },
    take(message: Message, violate: (problem: string) => void) {
      messages.push(message);
      if (stage === "ended") violate("a message after the end");
      const { type } = message;
      const allowed = {
        "chat.accepted": stage === "sent",
        "chat.queued": stage === "accepted" || stage === "queued",
        "chat.started": stage === "accepted" || stage === "queued",
        "chat.event": stage === "started",
        "chat.done": stage === "started",
        "chat.error": true,
      }[type];
      if (!allowed) violate(`${type} while ${stage}`);
      if (type === "chat.accepted" && !/^task_/.test(String(message.taskId))) violate("no task id");
      if (type === "chat.queued") {
        if (!Number.isInteger(message.position) || Number(message.position) < 1) violate("a position below 1");
        positions.push(Number(message.position));
      }
      if (type === "chat.event") takeEvent(message.event as Fields, violate);
      stage =
        ({ "chat.accepted": "accepted", "chat.queued": "queued", "chat.started": "started" } as const)[type as never] ??
        stage;
      if (isEnd(message)) stage = "ended";
    },
  };

  function takeEvent(event: Fields, violate: (problem: string) => void): void {
    events.push(event);
    if (!EVENT_TYPES.includes(String(event.type))) violate("an unknown kind of event");
    const callId = event.toolCallId ?? event.id;
    if (event.type === "tool-call") calls.add(callId);
    if ((event.type === "tool-output" || event.type === "tool-result") && !calls.has(callId)) violate("no such call");
  }
}
