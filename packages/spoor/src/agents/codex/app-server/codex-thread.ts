import { noteOfFrame } from "../../kit/fact-signals.ts";
import { fail, interrupted } from "../../kit/failures.ts";
import { asArray, asCount, asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import { spawnEndSignal, type ToolCall } from "../../kit/tool-calls.ts";
import type { Signal } from "../../signal.ts";
import { failure, retry } from "../items/codex-failures.ts";
import { Items } from "../items/codex-items.ts";
import { mcpCall, plan, ready } from "../items/codex-tool-items.ts";
import { noTokens, type Tokens, tokensOf, tokensSince, usage } from "../items/codex-usage.ts";
import { ModelCalls } from "../items/model-calls.ts";

/** Turns the notifications of one thread into signals. */
export class Thread {
  readonly id: string;
  readonly items: Items;
  /** Whether a prompt is being worked on. */
  isActive = false;
  isInterrupted = false;
  /** Whether the server reported the end of a turn. */
  hasEnded = false;
  readonly #calls = new ModelCalls(false);
  /** MCP calls that were asked about: the question does not name its call. */
  readonly #askedCalls = new Set<unknown>();
  /** The id of the current turn. */
  #turnId: unknown;
  #isAsked = false;
  #retries = 0;
  #count = 0;
  #diff = "";
  /** The thread's tokens so far; unknown for a thread with a history. */
  #tokens: Tokens | undefined = noTokens;
  #context = { usedTokens: 0, maxTokens: 0 };

  constructor(id: string) {
    this.id = id;
    this.items = new Items(this.#calls);
  }

  /** Notes the model and the history from a response or a call. */
  configure({ model, modelProvider }: Json, { turns }: Json): void {
    this.#calls.model = asText(model) || this.#calls.model;
    this.#calls.provider = asText(modelProvider) || this.#calls.provider;
    if (asArray(turns).length > 0 && this.#tokens === noTokens) this.#tokens = undefined;
  }

  /** Reads a request of the client about the thread. */
  sent(method: string, params: Json): Signal[] | undefined {
    if (method === "turn/interrupt") this.isInterrupted = this.isActive;
    if (method === "turn/steer") return [{ kind: "prompt" }];
    if (method !== "turn/start") return undefined;
    this.configure(params, {});
    this.#isAsked = true;
    return this.#begin();
  }

  /** A subagent whose turn is over has reported, even if its parent does not wait for it. */
  ends(method: string, params: Json): Signal[] {
    if (method !== "turn/completed") return [];
    const turn = asObject(params.turn) ?? {};
    const report = asText(asObjects(turn.items).at(-1)?.text);
    const error = asText(asObject(turn.error)?.message) ?? "The subagent was interrupted.";
    return [spawnEndSignal(this.id, report, turn.status === "completed" ? undefined : error)];
  }

  turnStarted({ turn }: Json): Signal[] {
    this.#turnId = asObject(turn)?.id;
    const isReported = this.#isAsked;
    this.#isAsked = false;
    return isReported ? [] : this.#begin();
  }

  turnCompleted(params: Json): Signal[] {
    const turn = asObject(params.turn) ?? {};
    this.isActive = false;
    this.isInterrupted = false;
    this.hasEnded = true;
    const last = asObjects(turn.items).flatMap((item) => this.items.ended(item) ?? []);
    const failed = turn.status === "failed" ? failure(asObject(turn.error), this.#context) : [];
    if (turn.status === "interrupted") failed.push(fail(interrupted));
    return [...last, ...failed, { kind: "promptDone" }];
  }

  error(params: Json): Signal[] {
    const error = asObject(params.error) ?? {};
    if (params.willRetry !== true) return failure(error, this.#context);
    this.items.reset();
    return retry(error, this.#retries++);
  }

  /** The server repeats old figures when a thread is opened or compacted, so only the increase was used. */
  tokenUsage(params: Json): Signal[] | undefined {
    const reported = asObject(params.tokenUsage) ?? {};
    const usedTokens = asCount(asObject(reported.last)?.totalTokens) ?? 0;
    this.#context = { usedTokens, maxTokens: asCount(reported.modelContextWindow) ?? 0 };
    const total = tokensOf(reported.total);
    const used = this.#tokens ? tokensSince(total, this.#tokens) : tokensOf(reported.last);
    this.#tokens = total;
    const signals = params.turnId === this.#turnId ? usage(used) : [];
    if (signals.length === 0) return undefined;
    this.#calls.expect();
    return [...signals, { kind: "callDone" }];
  }

  planUpdated({ plan: steps, explanation }: Json): Signal[] {
    const input = { plan: asArray(steps), ...(asText(explanation) && { explanation }) };
    return [...this.#calls.output(), ...plan(this.#newId("plan"), input)];
  }

  /** Input that the model writes to a running command. It is a call of its own without an item. */
  terminalInteraction({ itemId, stdin }: Json): Signal[] {
    const id = this.#newId("stdin");
    const input = { itemId, stdin };
    return [...this.#calls.output(), ready(id, "write_stdin", "shell", input), { kind: "toolEnd", id, output: null }];
  }

  /** A question to the user is output of the model. */
  asked(): Signal[] {
    return this.#calls.output();
  }

  /** The running call to this server with these arguments that was not asked about yet. */
  mcpCallAsked(server: unknown, input: unknown): ToolCall | undefined {
    const waiting = this.items.allRunning().filter((item) => item.server === server && !this.#askedCalls.has(item.id));
    const item = waiting.find((call) => JSON.stringify(call.arguments) === JSON.stringify(input)) ?? waiting[0];
    const id = asText(item?.id);
    if (!item || !id) return undefined;
    this.#askedCalls.add(id);
    return mcpCall(id, item, input);
  }

  diffUpdated({ diff }: Json): Signal[] | undefined {
    if (diff === this.#diff) return [];
    this.#diff = asText(diff) ?? "";
    return undefined;
  }

  settings({ threadSettings }: Json): Signal[] {
    const settings = asObject(threadSettings) ?? {};
    this.configure(settings, {});
    // The frame also contains the agent's own instructions, which are left out.
    const { collaborationMode, ...rest } = settings;
    const mode = asObject(collaborationMode)?.mode ?? null;
    return [noteOfFrame({ method: "thread/settings/updated", ...rest, mode })];
  }

  #begin(): Signal[] {
    this.isActive = true;
    this.isInterrupted = false;
    this.#retries = 0;
    this.items.reset();
    return [{ kind: "prompt" }];
  }

  #newId(of: string): string {
    return `${this.id}-${of}-${++this.#count}`;
  }
}
