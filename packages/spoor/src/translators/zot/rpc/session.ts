import type { Envelope } from "@spoor/protocol";
import type { Conversations } from "../../conversation/conversations.ts";
import { type Said, withoutHistory } from "../../conversation/history.ts";
import { maybe, text } from "../../translator.ts";
import { zotTranslator } from "../zot.ts";
import type { ZotBlock, ZotEvent } from "../zot-events.ts";
import { readSummary, SUM_UP } from "./summary.ts";
import { createTranscript } from "./transcript.ts";

/** What a process of zot serves: one agent in one folder, with one conversation at a time. */
export interface SessionOptions {
  conversations: Conversations;
  agent: string;
  /** As the agent names it. Our own loop names it `provider/model`. */
  model: string | undefined;
  cwd: string;
  /** More of the specification of each run, such as `approve`. */
  spec: Readonly<Record<string, unknown>>;
  /** Throws if the agent cannot use the model. */
  checkModel?(model: string): void;
  write(event: ZotEvent): Promise<void>;
  /** Tells the person at the terminal something. */
  note(line: string): void;
}

/** Answers a command; with the reason if it is refused. */
export type Respond = (refusal?: string) => Promise<void>;

/** The states of the process: idle, or busy with one prompt while others wait for their turn. */
export interface Session {
  /**
   * Starts a prompt when those before it are done. `respond` is called when it starts, or if it cannot.
   *
   * @throws {Error} if too many prompts wait.
   */
  prompt(message: string, respond: Respond): void;
  /**
   * Lets the agent sum the conversation up, and begins a new one with that when the next prompt comes. Waits and responds like
   * a prompt; ends with `compact_done`, or with `error`.
   *
   * @throws {Error} if too many prompts wait.
   */
  compact(respond: Respond): void;
  /** Ends the prompt that runs. */
  abort(): void;
  /** Ends the prompt that runs, and refuses those that wait. */
  stop(): void;
  /** Resolves when no prompt is left. */
  idle(): Promise<void>;
  state(): Record<string, unknown>;
  messages(): Record<string, unknown>;
  /** Begins a new conversation with the next prompt. @throws {Error} while a prompt runs. */
  clear(): void;
  /** @throws {Error} while a prompt runs, or if the agent cannot use the model. */
  setModel(model: string): void;
  /** The names of the provider and the model, as far as they are known. */
  names(): { model: string; provider: string };
}

const MAX_WAITING = 100;

export function createSession(options: SessionOptions): Session {
  const { conversations, agent, cwd, spec, write, note } = options;
  let { model } = options;
  let task_id: string | undefined;
  let reported: { model?: string | undefined; provider?: string | undefined } = {};
  /** What the next conversation begins with. */
  let carried: readonly Said[] = [];
  /** `run_id` is empty while the run is being made. */
  let active: { run_id: string; isAborted: boolean } | undefined;
  let waiting = 0;
  let isStopping = false;
  let work = Promise.resolve();
  const transcript = createTranscript();

  /** Makes a run of a message, whose id is returned, or says why it cannot. */
  async function begin(message: string, respond: Respond): Promise<string | undefined> {
    if (isStopping) return void (await respond("The process is stopping."));
    const doing = { isAborted: false, run_id: "" };
    active = doing;
    const run = await conversations
      .ask({
        text: message,
        ...(task_id !== undefined ? { task_id } : { history: carried }),
        spec: { agent, workspace: { path: cwd }, ...(model !== undefined && { model }), ...spec },
      })
      .catch(async (error: Error & { hint?: string }) => {
        await respond(error.hint === undefined ? error.message : `${error.message} ${error.hint}`);
      });
    if (!run) return undefined;
    ({ task_id } = run);
    carried = [];
    doing.run_id = run.run_id;
    await respond();
    if (doing.isAborted) cancel(run.run_id);
    return run.run_id;
  }

  /** Does the work of a command when those before it are done. */
  function enqueue(perform: () => Promise<void>): void {
    if (waiting >= MAX_WAITING) throw new Error(`${MAX_WAITING} prompts wait already: wait for \`done\``);
    waiting += 1;
    const next = async () => {
      waiting -= 1;
      await perform().finally(() => {
        active = undefined;
      });
    };
    work = work.then(next).catch((error: Error) => note(error.message));
  }

  async function compact(respond: Respond): Promise<void> {
    if (task_id === undefined) return respond("there is nothing to compact: nothing was said in this conversation yet");
    const run_id = await begin(SUM_UP, respond);
    if (run_id === undefined) return;
    const doing = active;
    transcript.begin();
    const summed = await readSummary(noticed(run_id), (event, envelope) => {
      if (event.type === "usage") transcript.add(event, envelope.occurred_at);
    });
    // As with zot, nothing follows an abort.
    if (doing?.isAborted) return;
    if ("failure" in summed) return write({ message: summed.failure, type: "error" });
    const { summary } = summed;
    task_id = undefined;
    carried = [
      { role: "user", text: SUM_UP },
      { role: "assistant", text: summary },
    ];
    transcript.clear();
    const content = [{ text: summary, type: "text" as const }];
    transcript.add({ content, type: "assistant_message" }, new Date().toISOString());
    await write({ summary, type: "compact_done" });
  }

  /** Writes everything that happens in a run. Its last event is `done`, whatever happens. */
  async function tellAll(run_id: string): Promise<void> {
    const { translate, cut } = zotTranslator();
    transcript.begin();
    let time = new Date().toISOString();
    const tell = async (events: readonly ZotEvent[]) => {
      for (const event of events) await write(transcript.add(asAsked(event), time));
    };
    try {
      for await (const envelope of noticed(run_id)) {
        time = envelope.occurred_at;
        await tell(translate(envelope));
      }
    } catch (error) {
      note(`${run_id} cannot be followed: ${(error as Error).message}`);
    }
    await tell(cut());
  }

  /** The events of a run, after the person at the terminal was told of what they must know. */
  async function* noticed(run_id: string): AsyncGenerator<Envelope> {
    for await (const envelope of conversations.follow(run_id)) {
      notice(envelope);
      yield envelope;
    }
  }

  function notice({ type, data, run_id }: Envelope): void {
    if (type === "turn.started" && maybe(data, "model") !== undefined) {
      reported = { model: maybe(data, "model"), provider: maybe(data, "provider") ?? reported.provider };
    }
    if (type === "approval.requested") {
      const id = text(data, "approval_id");
      note(
        `The run waits for permission: ${maybe(data, "detail") ?? maybe(data, "summary") ?? text(data, "kind")}. ` +
          `Answer with \`spoor approve ${id}\` or \`spoor deny ${id}\`, or on the page.`,
      );
    }
    if (type === "input.requested") {
      note(`The agent asks: ${text(data, "question")} Answer with \`spoor answer ${run_id} "…"\`, or on the page.`);
    }
  }

  function cancel(run_id: string): void {
    // A run that has ended meanwhile needs no cancellation.
    conversations.tell(run_id, "cancel").catch(() => {});
  }

  function abort(): void {
    if (!active || active.isAborted) return;
    active.isAborted = true;
    if (active.run_id !== "") cancel(active.run_id);
  }

  function requireIdle(): void {
    if (active || waiting > 0) throw new Error("agent is busy: wait for `done`, or send `abort` first");
  }

  const names = () => {
    const [, provider, name] = /^([^/]+)\/(.+)$/.exec(model ?? "") ?? [undefined, undefined, model];
    return { model: name ?? reported.model ?? "", provider: provider ?? reported.provider ?? agent };
  };

  return {
    prompt(message, respond) {
      enqueue(async () => {
        const run_id = await begin(message, respond);
        if (run_id !== undefined) await tellAll(run_id);
      });
    },
    compact: (respond) => enqueue(() => compact(respond)),
    abort,
    stop() {
      isStopping = true;
      abort();
    },
    idle: () => work,
    names,
    state: () => ({
      agent,
      busy: active !== undefined,
      cwd,
      message_count: transcript.messages.length,
      ...names(),
      ...(active?.run_id && { run_id: active.run_id }),
      ...(task_id !== undefined && { task_id }),
      usage: transcript.usage,
    }),
    messages: () => ({ messages: transcript.messages }),
    clear() {
      requireIdle();
      task_id = undefined;
      carried = [];
      transcript.clear();
    },
    setModel(wanted) {
      requireIdle();
      // The same provider, as for zot, unless another is named.
      const { provider } = names();
      const named = agent === "loop" && !wanted.includes("/") ? `${provider}/${wanted}` : wanted;
      options.checkModel?.(named);
      model = named;
    },
  };
}

/** An agent without a session is told what was said before. The client asked only for the last part of that. */
function asAsked(event: ZotEvent): ZotEvent {
  if (event.type !== "user_message") return event;
  const content = (event.content as readonly ZotBlock[]).map((block) =>
    block.type === "text" ? { ...block, text: withoutHistory(String(block.text)) } : block,
  );
  return { ...event, content };
}
