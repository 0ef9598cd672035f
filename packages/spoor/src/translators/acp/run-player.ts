import { setTimeout as sleep } from "node:timers/promises";
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { Envelope } from "@spoor/protocol";
import { readEnvelopes } from "../../log/envelopes.ts";
import { LogError } from "../../log/errors.ts";
import { ApprovalError } from "../../runtime/approvals/approval-error.ts";
import { CommandError } from "../../runtime/commands/command-error.ts";
import { maybe, text } from "../translator.ts";
import { acpTranslator } from "./acp.ts";
import type { FileTexts } from "./diffs.ts";
import type { Editor } from "./editor.ts";
import { fileTextsOf } from "./file-texts.ts";
import { type AcpMessage, metaOf, sessionIdOf } from "./messages.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";

export interface RunPlayerOptions {
  run_id: string;
  /** Whether the editor sent the prompt on this connection, so that it shows it already. */
  isOwn: boolean;
  /** The run of a subagent shows only its calls, in the session of the run that started it. */
  parentSession?: string;
  contextSizeOf(model: string): number | undefined;
  /** Called when the editor answers a request by saying that the turn is cancelled. */
  onCancelled(): void;
}

type Update = Extract<AcpMessage, { method: "session/update" }>;
type Request = Exclude<AcpMessage, Update>;

/** Shows one run in the editor: first what is stored, then what happens. */
export class RunPlayer {
  readonly #editor: Editor;
  readonly #options: RunPlayerOptions;
  readonly #texts = new Map<string, FileTexts>();
  readonly #translator;
  /** What nobody has answered yet, by the id of the approval or question. */
  readonly #unanswered = new Map<string, { request: Request; envelope: Envelope }>();
  /** The requests that the editor shows now. */
  readonly #shown = new Map<string, AbortController>();
  /** The runs of subagents. */
  readonly #children: RunPlayer[] = [];
  #last = -1;
  #isLive = false;
  #answersItself = false;
  #outcome: Outcome | undefined;

  constructor(editor: Editor, options: RunPlayerOptions) {
    const { canAsk } = editor;
    this.#editor = editor;
    this.#options = options;
    this.#translator = acpTranslator({
      canAsk,
      contextSizeOf: options.contextSizeOf,
      textsOf: (id) => this.#texts.get(id),
    });
  }

  get run_id(): string {
    return this.#options.run_id;
  }

  /** Reads what is stored, and shows it or only learns it. Nobody is asked anything. */
  async replay({ isShown }: { isShown: boolean }): Promise<void> {
    const { log, gone } = this.#editor;
    for await (const envelope of readEnvelopes(log, { run_id: this.run_id, signal: gone })) {
      await this.#take(envelope, isShown);
    }
  }

  /** Asks what is still unanswered and shows what happens, until the run is over or the editor is gone. */
  async follow(): Promise<Outcome | undefined> {
    const { conversations, gone } = this.#editor;
    this.#isLive = true;
    for (const id of this.#unanswered.keys()) this.#ask(id);
    for (const child of this.#children) child.#followAside();
    try {
      for await (const envelope of conversations.follow(this.run_id, { after: this.#last, signal: gone })) {
        await this.#take(envelope, true);
      }
    } finally {
      this.#withdrawAll();
    }
    return this.#outcome;
  }

  async #take(envelope: Envelope, isShown: boolean): Promise<void> {
    this.#last = envelope.sequence;
    if (envelope.type === "session.started") {
      const { approval_mode: mode } = envelope.data;
      this.#answersItself = mode === "auto" || mode === "deny";
    }
    const found = await fileTextsOf(this.#editor, envelope);
    if (found) this.#texts.set(found.id, found.texts);
    for (const message of this.#translator.translate(envelope).map((each) => this.#inSession(each))) {
      if (message.method !== "session/update") this.#open(envelope, message);
      else if (isShown && this.#isShown(message)) await this.#editor.client.notify("session/update", message.params);
    }
    this.#texts.clear();
    if (envelope.type === "subagent.started") await this.#addChild(maybe(envelope.data, "child_run_id"), isShown);
    for (const id of answeredBy(envelope)) this.#withdraw(id);
    this.#outcome ??= outcomeOf(envelope);
    if (this.#outcome) this.#withdrawAll();
  }

  #isShown({ only, params }: Update): boolean {
    const { isOwn, parentSession } = this.#options;
    if (parentSession !== undefined) return params.update.sessionUpdate.startsWith("tool_call");
    return !(isOwn && only === "replay");
  }

  #inSession(message: AcpMessage): AcpMessage {
    const { parentSession: sessionId } = this.#options;
    return sessionId === undefined ? message : ({ ...message, params: { ...message.params, sessionId } } as AcpMessage);
  }

  /** A subagent may need permission as well. */
  async #addChild(run_id: string | undefined, isShown: boolean): Promise<void> {
    const run = run_id === undefined ? undefined : await this.#editor.log.run(run_id);
    if (!run) return;
    const parentSession = this.#options.parentSession ?? run.task_id;
    const child = new RunPlayer(this.#editor, { ...this.#options, run_id: run.run_id, parentSession });
    this.#children.push(child);
    if (this.#isLive) child.#followAside();
    else await child.replay({ isShown });
  }

  #followAside(): void {
    void this.follow().catch((error: Error) => this.#editor.gone.aborted || this.#editor.note(error.message));
  }

  #open(envelope: Envelope, request: Request): void {
    const id = text(envelope.data, "approval_id") || text(envelope.data, "interaction_id");
    this.#unanswered.set(id, { request, envelope });
    if (this.#isLive) this.#ask(id);
  }

  #ask(id: string): void {
    const { request, envelope } = this.#unanswered.get(id) ?? {};
    if (!request || !envelope || this.#shown.has(id)) return;
    const controller = new AbortController();
    this.#shown.set(id, controller);
    const asking =
      request.method === "elicitation/create"
        ? this.#askQuestion(id, request.params, controller.signal)
        : this.#askPermission(id, request.params, controller.signal);
    void asking
      .catch((error: unknown) => this.#onUnanswered(error, id, envelope, controller.signal))
      .finally(() => this.#shown.delete(id));
  }

  async #askPermission(id: string, params: RequestPermissionRequest, signal: AbortSignal): Promise<void> {
    const { client, conversations, log } = this.#editor;
    // Spoor itself answers for a run that asks nobody, unless it cannot.
    if (this.#answersItself) await sleep(GRACE_MS, undefined, { signal }).catch(() => {});
    // A rule may have decided already; the event that tells it comes next.
    const approval = signal.aborted ? undefined : await log.rows.find("approvals", id);
    if (signal.aborted || (approval && approval.status !== "pending")) return;
    const wait = { cancellationSignal: signal, stopWaitingOnCancel: true };
    // Nobody has checked what the editor answers.
    const answer: Partial<RequestPermissionResponse> | null = await client.request(
      "session/request_permission",
      params,
      wait,
    );
    const outcome = answer?.outcome;
    if (outcome?.outcome === "cancelled") return this.#options.onCancelled();
    const decision = outcome?.outcome === "selected" ? outcome.optionId : undefined;
    if (decision !== "approve" && decision !== "reject")
      throw new Error(`${JSON.stringify(answer)} is none of the offered answers.`);
    await conversations.decide(id, decision);
  }

  async #askQuestion(id: string, params: CreateElicitationRequest, signal: AbortSignal): Promise<void> {
    const { client, conversations } = this.#editor;
    const wait = { cancellationSignal: signal, stopWaitingOnCancel: true };
    const answer: Partial<CreateElicitationResponse> | null = await client.request("elicitation/create", params, wait);
    const { action, content } = (answer ?? {}) as { action?: string; content?: { answer?: unknown } | null };
    if (action === "accept" && typeof content?.answer !== "string") throw new Error("The form holds no answer.");
    if (action !== "accept" && action !== "decline") throw new Error("The form was closed.");
    const said = action === "decline" ? "The user does not answer this." : String(content?.answer);
    await conversations.tell(this.run_id, "answer", { interaction_id: id, text: said });
  }

  /** The answer came too late, or the editor gave none: then the user is told where else it can be given. */
  async #onUnanswered(error: unknown, id: string, envelope: Envelope, signal: AbortSignal): Promise<void> {
    const { client, gone, note } = this.#editor;
    if (signal.aborted || gone.aborted) return;
    // Somebody else was first, or the run is over: the stream tells that to the editor.
    if (error instanceof ApprovalError || error instanceof CommandError) return note(error.message);
    const isStored = !(error instanceof LogError);
    note(`${isStored ? "The editor did not answer a request" : NOT_STORED}: ${(error as Error).message}`);
    const how =
      envelope.type === "approval.requested"
        ? `\`spoor approve ${id}\` or \`spoor deny ${id}\``
        : `\`spoor answer ${this.run_id} "…"\``;
    const why = isStored ? "" : `${NOT_STORED}: ${error.message} ${error.hint} `;
    const words = `\n\n${why}The run waits for an answer. Give it with ${how}, or on Spoor's page (\`spoor open\`).\n\n`;
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } } as const;
    const params = { sessionId: sessionIdOf(envelope), update, _meta: metaOf(envelope) };
    await client.notify("session/update", params).catch(() => {});
  }

  #withdraw(id: string): void {
    this.#unanswered.delete(id);
    this.#shown.get(id)?.abort();
  }

  #withdrawAll(): void {
    for (const id of [...this.#unanswered.keys()]) this.#withdraw(id);
  }
}

/** The approvals and questions that an event answers. */
function answeredBy({ type, data }: Envelope): string[] {
  if (type === "approval.resolved" || type === "approval.timed_out") return [text(data, "approval_id")];
  return type === "user.message" && typeof data.interaction_id === "string" ? [data.interaction_id] : [];
}

const NOT_STORED = "The answer could not be stored";

/** How long Spoor may take to answer for a run that asks nobody. */
const GRACE_MS = 2_000;
