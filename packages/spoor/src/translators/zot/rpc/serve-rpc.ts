import { timingSafeEqual } from "node:crypto";
import { createLineCutter } from "../../../process/line-cutter.ts";
import { cut } from "../../../process/stream-cutter.ts";
import type { ZotEvent } from "../zot-events.ts";
import { createSession, type Respond, type Session, type SessionOptions } from "./session.ts";

/** A model as `get_models` lists it. Numbers that nobody knows are 0. */
export interface ZotModel {
  readonly context_window: number;
  readonly id: string;
  readonly max_output: number;
  readonly provider: string;
  readonly reasoning: boolean;
}

export interface RpcOptions extends Omit<SessionOptions, "write"> {
  input: AsyncIterable<Uint8Array | string>;
  /** Writes a line. Rejects if nobody reads any more. */
  write(line: string): Promise<void>;
  /** Of Spoor. */
  version: string;
  /** What the first command must hold. Undefined: nothing. */
  token: string | undefined;
  models(): Promise<readonly ZotModel[]>;
  /** Ends the prompt that runs, and then everything. */
  signal: AbortSignal;
}

/** The longest line of a command, as for zot. */
export const MAX_LINE_BYTES: number = 16 * 1024 * 1024;

/**
 * Serves the commands of `zot rpc` until the input ends and the last prompt is done. Returns whether the client was let in.
 *
 * Prompts run one after the other. As with zot, a prompt is answered when it starts, so one that waits has no answer yet.
 */
export async function serveRpc(options: RpcOptions): Promise<boolean> {
  const { input, token, signal } = options;
  const stopped = new AbortController();
  const session = createSession({ ...options, write: (event) => send(event) });
  const stop = () => {
    session.stop();
    stopped.abort();
  };
  const send = (message: object) => options.write(`${JSON.stringify(message)}\n`).catch(stop);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let isKnown = token === undefined;
  try {
    for await (const { text: line, isTooLong } of linesOf(until(stopped.signal, input))) {
      const request = isTooLong ? undefined : parsed(line);
      const { id, type: command } = requestOf(request);
      const respond = (answer: object) => send(responseOf(id, command, answer));
      if (isTooLong) await respond({ error: `the line is longer than ${MAX_LINE_BYTES} bytes and was not read` });
      else if (request === undefined) await respond({ error: "malformed json: a command is one JSON object per line" });
      else if (!isKnown && command !== "hello") await respond({ error: "auth required: send hello with token first" });
      else if (!isKnown && !isSame(String(request.token), token as string)) {
        await respond({ error: "invalid token" });
        return false;
      } else {
        isKnown = true;
        await perform(request, command, { session, options, respond });
      }
    }
  } finally {
    await session.idle();
    signal.removeEventListener("abort", stop);
  }
  return true;
}

type Request = Readonly<Record<string, unknown>>;

interface Context {
  session: Session;
  options: RpcOptions;
  respond(answer: object): Promise<void>;
}

async function perform(request: Request, command: string, context: Context): Promise<void> {
  const act = Object.hasOwn(commands, command) ? commands[command] : undefined;
  try {
    if (!act) throw new Error(`unknown command: the commands are ${Object.keys(commands).join(", ")}`);
    const data = (await act(request, context)) as object | undefined;
    // These respond when they start.
    if (command !== "prompt" && command !== "compact") await context.respond(data ? { data } : {});
  } catch (error) {
    await context.respond({ error: (error as Error).message });
  }
}

/** Does what a command asks for. Returns the data of its answer, or a promise of it, if it has any. */
type Command = (request: Request, context: Context) => unknown;

const commands: Readonly<Record<string, Command>> = {
  hello: (_, { session, options }) => {
    const { model, provider } = session.names();
    return { model, protocol_version: 1, provider, version: options.version };
  },
  prompt({ message, images = [] }, { session, respond }) {
    if (typeof message !== "string" || message.trim() === "") throw new Error("message is missing: say what to do");
    if (!Array.isArray(images) || images.length > 0) {
      throw new Error("images cannot be passed on to the agent: put them into the folder and name their paths");
    }
    session.prompt(message, startedBy(respond));
  },
  abort: (_, { session }) => session.abort(),
  compact: (_, { session, respond }) => session.compact(startedBy(respond)),
  get_state: (_, { session }) => session.state(),
  get_messages: (_, { session }) => session.messages(),
  clear: (_, { session }) => session.clear(),
  set_model({ model }, { session }) {
    if (typeof model !== "string" || model === "") throw new Error("model is missing: name one of get_models");
    session.setModel(model);
    return { model };
  },
  get_models: async (_, { options }) => ({ models: await options.models() }),
  ping: () => ({ pong: true }),
};

const startedBy =
  (respond: Context["respond"]): Respond =>
  (error) =>
    respond(error === undefined ? { data: { started: true } } : { error });

/** An answer, with its names in alphabetical order as zot prints them. */
function responseOf(id: unknown, command: string, answer: { data?: object; error?: string }): ZotEvent {
  const { data, error } = answer;
  return {
    command,
    ...(data && { data }),
    ...(error !== undefined && { error }),
    ...(id !== undefined && { id }),
    success: error === undefined,
    type: "response",
  };
}

function parsed(line: string): Request | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Request) : undefined;
  } catch {
    return undefined;
  }
}

function requestOf({ id, type }: Request = {}): { id: unknown; type: string } {
  return { id: typeof id === "string" || typeof id === "number" ? id : undefined, type: String(type ?? "") };
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The lines of the input. Of a line that is too long nothing is kept. Empty lines are skipped. */
async function* linesOf(input: AsyncIterable<Uint8Array | string>) {
  let isTooLong = false;
  const cutter = createLineCutter({ maxBytes: MAX_LINE_BYTES, pieceBytes: 1024 * 1024 });
  for await (const { text, continues } of cut(input, cutter)) {
    isTooLong ||= continues === true;
    if (continues) continue;
    if (isTooLong || text.trim() !== "") yield { text, isTooLong };
    isTooLong = false;
  }
}

/** The chunks of an input until it ends or the signal aborts. */
async function* until<Chunk>(signal: AbortSignal, input: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  const aborted = Promise.withResolvers<undefined>();
  signal.addEventListener("abort", () => aborted.resolve(undefined), { once: true });
  if (signal.aborted) return;
  const chunks = input[Symbol.asyncIterator]();
  while (true) {
    const next = await Promise.race([chunks.next(), aborted.promise]);
    if (!next || next.done) return;
    yield next.value;
  }
}
