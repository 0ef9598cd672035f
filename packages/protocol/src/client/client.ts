import type { AgentList } from "../api/agents.ts";
import type { EventList, Receipt, RunAnswer, RunList, TaskAnswer, TaskList } from "../api/answers.ts";
import type { ArtifactRecord, RunDiffQuery, RunPatchesRequest } from "../api/artifacts.ts";
import type { RunRecord, TaskRecord } from "../api/records.ts";
import type { NewEvent, RunsQuery, TasksQuery } from "../api/requests.ts";
import type { DeletedTask, FollowUpRun, NewTask, StartTask } from "../api/tasks.ts";
import type { RunCostAnswer, RunCostRecord, StepList, StepRecord, UsageAnswer, UsageQuery } from "../api/usage.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { createUlidSource } from "../envelope/ids.ts";
import type { RunView } from "../view/types.ts";
import { type ApprovalCalls, approvalCalls, type CommandCalls, commandCalls } from "./approvals.ts";
import {
  type ArtifactCalls,
  artifactCalls,
  changeRunPatches,
  type RunDiffRecord,
  requestRunDiff,
} from "./artifacts.ts";
import { connectorOf, type SpoorClientOptions } from "./connector.ts";
import type { AllFilters } from "./event-source.ts";
import { requestJson } from "./http.ts";
import { type AllListOptions, type RunListOptions, walkAll, walkRun } from "./list-events.ts";
import { type EndedRun, resultOf, viewsOf } from "./live-view.ts";
import {
  type AllOptions,
  type EnvelopeOptions,
  type FollowingOptions,
  type Subscription,
  subscribeToAll,
  subscribeToRun,
} from "./subscribe.ts";
import { type EventOptions, type EventSubscription, subscribeToEvents } from "./subscribe-events.ts";
import type { CancelSignal } from "./web-platform.ts";

/** Selects all runs, or the runs that match the filters. */
export type All = { all: true } & AllFilters;

/** A client of one Spoor server. Every failure is thrown as a `SpoorClientError`. */
export interface SpoorClient {
  /** What waits for permission, in all runs. */
  readonly approvals: ApprovalCalls;
  readonly runs: CommandCalls & {
    /** Returns a page of runs, newest first. */
    list(query?: RunsQuery, options?: CallOptions): Promise<RunList>;
    /** Returns the record of one run. */
    get(runId: string, options?: CallOptions): Promise<RunRecord>;
    /** Repeats a run from its beginning. Returns the new run. */
    retry(runId: string, body?: Pick<FollowUpRun, "reason">, options?: KeyOptions): Promise<RunRecord>;
    /** Repeats a run from one of its turns on. */
    retryFromTurn(runId: string, body: Pick<FollowUpRun, "reason" | "turn">, options?: KeyOptions): Promise<RunRecord>;
    /** Goes on with a run that stopped, in a new run. */
    resume(runId: string, body?: Pick<FollowUpRun, "reason" | "prompt">, options?: KeyOptions): Promise<RunRecord>;
    /** Goes on with the conversation of a run. */
    continue(runId: string, body: Pick<FollowUpRun, "reason" | "prompt">, options?: KeyOptions): Promise<RunRecord>;
    /** Goes on with a copy of the conversation, in a new task. */
    fork(runId: string, body?: Pick<FollowUpRun, "reason" | "prompt">, options?: KeyOptions): Promise<RunRecord>;
    /** Returns the model calls and tool calls of a run. */
    steps(runId: string, options?: CallOptions): Promise<StepRecord[]>;
    /** Returns what a run has cost, by turn and in all, with its task and its conversation. */
    cost(runId: string, options?: CallOptions): Promise<RunCostRecord>;
    /** Returns everything a run changed as one diff, or only what it changed up to a checkpoint. */
    diff(runId: string, query?: RunDiffQuery, options?: CallOptions): Promise<RunDiffRecord>;
    /** Writes the proposed patches of a run, or everything it changed to the folder its worktree was made from. All or none. */
    apply(runId: string, request?: RunPatchesRequest, options?: KeyOptions): Promise<ArtifactRecord[]>;
    /** Takes the applied patches of a run back, the newest first. All or none. */
    revert(runId: string, request?: Omit<RunPatchesRequest, "target">, options?: KeyOptions): Promise<ArtifactRecord[]>;
  };
  readonly tasks: {
    /** Returns a page of tasks, newest first. */
    list(query?: TasksQuery, options?: CallOptions): Promise<TaskList>;
    /** Returns the record of one task. */
    get(taskId: string, options?: CallOptions): Promise<TaskRecord>;
    /** Creates a task. It runs when it is started, or at once with `start: true`. */
    create(task: NewTask, options?: KeyOptions): Promise<TaskRecord>;
    /** Starts a task. Returns the new run. */
    start(taskId: string, body?: StartTask, options?: KeyOptions): Promise<RunRecord>;
    /** Deletes a task that has no active run. Its runs stay. */
    delete(taskId: string, options?: CallOptions): Promise<void>;
  };
  /** Artifacts, and the patches among them. */
  readonly artifacts: ArtifactCalls;
  /** Returns what runs have cost, by group. */
  usage(query?: UsageQuery, options?: CallOptions): Promise<UsageAnswer>;
  /** Starts the run that `spoor demo` shows, in a scratch folder. It needs no key and no agent, and asks a question. */
  startDemo(options?: KeyOptions): Promise<RunRecord>;
  readonly agents: {
    /** Returns the agents that the server knows, and what each can be held to. */
    list(options?: CallOptions): Promise<AgentList>;
  };
  readonly events: {
    /** Yields the stored events page by page, without waiting for new ones. */
    list(runId: string, options?: RunListOptions): AsyncIterable<EventList>;
    list(all: All, options?: AllListOptions): AsyncIterable<EventList>;
  };
  /** Yields stored and new events. Reconnects and resumes by itself, and ends when the run is over. */
  subscribe(runId: string, options: EventOptions): EventSubscription;
  subscribe(runId: string, options?: EnvelopeOptions): Subscription<Envelope>;
  subscribe(all: All, options?: AllOptions): Subscription<Envelope>;
  /** Yields the run as a screen shows it, at most once per `everyMs` (16 when absent), until the run is over. */
  view(runId: string, options?: WatchOptions & { everyMs?: number | undefined }): AsyncIterable<RunView>;
  /** Resolves when the run is over. */
  waitForEnd(runId: string, options?: WatchOptions): Promise<EndedRun>;
  /** Adds an event to a run. Retries use one idempotency key, so the event is stored once. */
  post(
    runId: string,
    event: NewEvent,
    options?: CallOptions & { idempotencyKey?: string | undefined },
  ): Promise<Receipt>;
}

/** Options of a single request. */
export interface CallOptions {
  signal?: CancelSignal | undefined;
}

/** Options of a request that creates something. Retries use one key, so it is created once. */
export interface KeyOptions extends CallOptions {
  idempotencyKey?: string | undefined;
}

/** Options of `view` and `waitForEnd`. */
export type WatchOptions = Omit<FollowingOptions, "after">;

/**
 * Creates a typed client for a Spoor server. It works in Node and in browsers.
 *
 * @example
 * ```ts
 * import { createSpoorClient } from "@spoor/protocol/client";
 *
 * const client = createSpoorClient({ url: "http://127.0.0.1:8765", token: "…" });
 * const { data: runs } = await client.runs.list({ status: "running" });
 * for (const { run_id } of runs) {
 *   for await (const envelope of client.subscribe(run_id)) console.log(envelope.sequence, envelope.type);
 * }
 * ```
 */
export function createSpoorClient(options: SpoorClientOptions): SpoorClient {
  const connector = connectorOf(options);
  const nextKey = createUlidSource({ now: connector.clock.now, random: connector.clock.random, prefix: "key_" });
  const get = <Answer extends { object: string }>(
    expect: string,
    path: string,
    query = {},
    { signal }: CallOptions = {},
  ) => requestJson<Answer>(connector, { path, query, expect, signal });

  const make = <Answer extends { object: string }>(
    expect: string,
    path: string,
    body: object = {},
    { idempotencyKey = nextKey(), signal }: KeyOptions = {},
  ) => requestJson<Answer>(connector, { path, expect, post: { body, idempotencyKey }, signal });
  const makeRun = async (path: string, body?: object, call?: KeyOptions): Promise<RunRecord> =>
    (await make<RunAnswer>("run", path, body, call)).data;

  const keyed = ({ idempotencyKey = nextKey(), signal }: KeyOptions = {}) => ({ idempotencyKey, signal });

  const runs: SpoorClient["runs"] = {
    ...commandCalls(connector, nextKey),
    list: (query, call) => get<RunList>("list", "/v1/runs", query, call),
    get: async (runId, call) => (await get<RunAnswer>("run", runPath(runId), {}, call)).data,
    retry: (runId, body, call) => makeRun(`${runPath(runId)}/retry`, body, call),
    retryFromTurn: (runId, body, call) => makeRun(`${runPath(runId)}/retry-from-turn`, body, call),
    resume: (runId, body, call) => makeRun(`${runPath(runId)}/resume`, body, call),
    continue: (runId, body, call) => makeRun(`${runPath(runId)}/continue`, body, call),
    fork: (runId, body, call) => makeRun(`${runPath(runId)}/fork`, body, call),
    steps: async (runId, call) => (await get<StepList>("list", `${runPath(runId)}/steps`, {}, call)).data,
    cost: async (runId, call) => (await get<RunCostAnswer>("run_cost", `${runPath(runId)}/cost`, {}, call)).data,
    diff: (runId, query, call) => requestRunDiff(connector, runId, query, call),
    apply: (runId, body = {}, call) => changeRunPatches(connector, "apply", runId, body, keyed(call)),
    revert: (runId, body = {}, call) => changeRunPatches(connector, "revert", runId, body, keyed(call)),
  };

  return {
    runs,
    approvals: approvalCalls(connector, nextKey),
    tasks: {
      list: (query, call) => get<TaskList>("list", "/v1/tasks", query, call),
      get: async (taskId, call) => (await get<TaskAnswer>("task", taskPath(taskId), {}, call)).data,
      create: async (task, call) => (await make<TaskAnswer>("task", "/v1/tasks", task, call)).data,
      start: (taskId, body, call) => makeRun(`${taskPath(taskId)}/start`, body, call),
      async delete(taskId, { signal } = {}) {
        const request = { path: taskPath(taskId), expect: "task.deleted", method: "DELETE", signal } as const;
        await requestJson<DeletedTask>(connector, request);
      },
    },
    artifacts: artifactCalls(connector, nextKey),
    usage: (query, call) => get<UsageAnswer>("usage", "/v1/usage", query, call),
    startDemo: (call) => makeRun("/v1/demo", {}, call),
    agents: { list: (call) => get<AgentList>("list", "/v1/agents", {}, call) },
    events: {
      list: (what: string | All, list: RunListOptions & AllListOptions = {}) =>
        typeof what === "string" ? walkRun(connector, what, list) : walkAll(connector, filtersOf(what), list),
    },
    subscribe: ((what: string | All, how: EventOptions | EnvelopeOptions = {}) => {
      if (typeof what !== "string") return subscribeToAll(connector, filtersOf(what), how as AllOptions);
      return how.as === "events" ? subscribeToEvents(connector, what, how) : subscribeToRun(connector, what, how);
      // One function implements three signatures, so TypeScript needs the cast.
    }) as SpoorClient["subscribe"],
    view: (runId, { everyMs = 16, ...watch } = {}) =>
      viewsOf(subscribeToRun(connector, runId, watch), { clock: connector.clock, everyMs }),
    waitForEnd: (runId, watch = {}) =>
      resultOf(subscribeToRun(connector, runId, watch), async () => (await runs.get(runId, watch)).status),
    async post(runId, body, { idempotencyKey = nextKey(), signal } = {}) {
      const request = { path: `${runPath(runId)}/events`, expect: "receipt", post: { body, idempotencyKey }, signal };
      return requestJson<Receipt>(connector, request);
    },
  };
}

const taskPath = (taskId: string): string => `/v1/tasks/${encodeURIComponent(taskId)}`;

const runPath = (runId: string): string => `/v1/runs/${encodeURIComponent(runId)}`;

const filtersOf = ({ all: _, ...filters }: All): AllFilters => filters;
