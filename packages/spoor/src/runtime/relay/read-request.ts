import { type IdKind, idPrefixes } from "@spoor/protocol/ids";
import type { Effect, RowQuery } from "../../log/effects.ts";
import type { LogDraft, RunAppend, TapeLine } from "../../log/log.ts";
import type { DerivedState, NewRun, RunExecutor, RunFacts, RunQuery, RunStatus } from "../../log/records.ts";
import type { Id, Request } from "./messages.ts";
import { isPacked } from "./row-codec.ts";

/** The line is not a request of our protocol. */
export class InvalidRequest extends Error {
  readonly code = "unreadable";
  readonly hint = "Record with the same version of Spoor that runs the server.";
  readonly id: Id | null;

  constructor(message: string, id: Id | null = null) {
    super(message);
    this.id = id;
  }
}

/**
 * Parses a request and checks every field, or throws `InvalidRequest`. The log stores a draft's JSON unchecked, so an
 * invalid one would break reading for everybody who shares the log.
 */
export function readRequest(line: string): Request & { id: Id } {
  const request = parsed(line);
  const id = isObject(request) && isId(request.id) ? request.id : null;
  if (!isObject(request) || id === null)
    throw new InvalidRequest("The line is not a request: it must be a JSON object with an id.");
  const check = typeof request.do === "string" && Object.hasOwn(requests, request.do) && requests[request.do as Do];
  if (!check) throw new InvalidRequest(`The request has an unknown action: ${shown(request.do)}.`, id);
  if (!check(request)) throw new InvalidRequest(`The request "${request.do}" has missing or invalid fields.`, id);
  return request as unknown as Request & { id: Id };
}

type Check = (value: unknown) => boolean;
type Checks<T> = { [name in keyof Required<T>]: Check };
type Do = Request["do"];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isId = (value: unknown): value is Id => typeof value === "string" || Number.isSafeInteger(value);
const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 40) ?? "none";
const text: Check = (value) => typeof value === "string";
const truth: Check = (value) => typeof value === "boolean";
const whole: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const amount: Check = (value) => Number.isFinite(value);
/** Epoch milliseconds before the year 10000. */
const moment: Check = (value) => whole(value) && (value as number) < Date.UTC(10_000, 0);
const idOf = (kind: IdKind): Check => {
  const pattern = new RegExp(`^${idPrefixes[kind]}[0-7][0-9A-HJKMNP-TV-Z]{25}$`);
  return (value) => typeof value === "string" && pattern.test(value);
};
const [runId, taskId, sessionId] = [idOf("run"), idOf("task"), idOf("session")];
const oneOf = <T extends string>(all: Record<T, true>): Check => {
  return (value) => typeof value === "string" && Object.hasOwn(all, value);
};
const optional = (check: Check): Check => {
  return (value) => value === undefined || check(value);
};
const list = (check: Check): Check => {
  return (value) => Array.isArray(value) && value.every(check);
};
/** Unknown fields are allowed: newer versions may add some. */
const object = <T>(checks: Checks<T>): Check => {
  const entries: [string, Check][] = Object.entries(checks);
  return (value) => isObject(value) && entries.every(([name, check]) => check(value[name]));
};

/** The data of one envelope. CR and LF would end a line of the log or of an event stream. */
const dataText: Check = (value) => typeof value === "string" && !/[\r\n]/.test(value) && isObject(parsed(value));

const status = oneOf<RunStatus>({
  queued: true,
  awaiting_approval: true,
  running: true,
  completed: true,
  failed: true,
  cancelled: true,
});

const state = oneOf<DerivedState>({ idle: true, working: true, blocked: true, done: true, error: true });

const facts = object<RunFacts>({
  status: optional(status),
  title: optional(text),
  model: optional(text),
  workspace_path: optional(text),
  native_session_id: optional(text),
  parent_run_id: optional(text),
  prior_run_id: optional(text),
  renormalized_from_run_id: optional(text),
  prior_cost_micros_usd: optional(amount),
  turns: optional(amount),
  cost_micros_usd: optional(amount),
  error_code: optional(text),
  result: optional(text),
  has_tape: optional(truth),
  worker_id: optional(text),
  launcher_id: optional(text),
  ended_at: optional(amount),
  state: optional(state),
  now: optional(text),
  last_activity: optional(amount),
  pending: optional(amount),
  files_changed: optional(amount),
  additions: optional(amount),
  deletions: optional(amount),
  cost_source: optional(text),
  input_tokens: optional(amount),
  output_tokens: optional(amount),
  cached_input_tokens: optional(amount),
  thinking_tokens: optional(amount),
  paused: optional(truth),
  parked: optional(truth),
  cancelling: optional(truth),
  attempt: optional(amount),
  executor: optional(oneOf<RunExecutor>({ worker: true, process: true, cli: true })),
  agent_process: optional(text),
  prior_sequence: optional(amount),
  prior_step_id: optional(text),
});
/** Null removes a fact, or asks that there is none. */
const nullableFacts: Check = (value) => isObject(value) && value.status !== null && facts(withoutNulls(value));

const withoutNulls = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));

const cell: Check = (value) => value === null || text(value) || Number.isSafeInteger(value) || isPacked(value);
const values: Check = (value) => isObject(value) && Object.values(value).every(cell);

/** Only the form: the log compares tables, columns and types. */
const effects: Record<Effect["do"], Check> = {
  insert: object<{ table: unknown; row: unknown; ifExists: unknown }>({
    table: text,
    row: values,
    ifExists: optional(oneOf({ keep: true })),
  }),
  update: object<{ table: unknown; key: unknown; when: unknown; set: unknown; ifDiffers: unknown }>({
    table: text,
    key: text,
    when: values,
    set: values,
    ifDiffers: optional(oneOf({ keep: true })),
  }),
  delete: object<{ table: unknown; key: unknown; when: unknown; ifDiffers: unknown }>({
    table: text,
    key: text,
    when: optional(values),
    ifDiffers: optional(oneOf({ keep: true })),
  }),
};
const effect: Check = (value) =>
  isObject(value) &&
  text(value.do) &&
  Object.hasOwn(effects, value.do as string) &&
  effects[value.do as Effect["do"]](value);

const anyAppend = object<RunAppend>({
  run_id: text,
  create: optional(
    object<NewRun>({ task_id: optional(taskId), session_id: optional(sessionId), agent: text, kind: text }),
  ),
  epoch: optional(whole),
  drafts: list(object<LogDraft>({ type: text, timestamp: moment, json: dataText })),
  facts: optional(nullableFacts),
  when: optional(nullableFacts),
  effects: optional(list(effect)),
  idempotency_key: optional(text),
  forget_keys: optional(list(text)),
});

/** The id of a new run is written into all its envelopes, so it must be a valid one. */
const append: Check = (value) => {
  const { create, run_id } = (value ?? {}) as Partial<RunAppend>;
  return anyAppend(value) && (create === undefined || runId(run_id));
};

const line = object<TapeLine>({
  at: amount,
  from: oneOf<TapeLine["from"]>({ stdout: true, stderr: true, stdin: true, exit: true }),
  text,
});

const query = object<RunQuery>({
  task_id: optional(text),
  agent: optional(text),
  status: optional(status),
  native_session_id: optional(text),
  kind: optional(text),
  model: optional(text),
  state: optional(state),
  path: optional(text),
  q: optional(text),
  counts: optional(truth),
  hide_renormalized: optional(truth),
  before: optional(text),
  limit: optional(whole),
});

const rowQuery = object<RowQuery>({
  where: optional((each) => isObject(each) && Object.values(each).every((one) => cell(one) || list(cell)(one))),
  order: optional(text),
  descending: optional(truth),
  after: optional(text),
  before: optional(text),
  limit: optional(whole),
});

const requests: { [name in Do]: Check } = {
  hello: () => true,
  append: object<{ batch: unknown }>({ batch: list(append) }),
  tape: object<{ run_id: unknown; lines: unknown; idempotency_key: unknown }>({
    run_id: text,
    lines: list(line),
    idempotency_key: text,
  }),
  runs: object<{ query: unknown }>({ query: optional(query) }),
  find: object<{ table: unknown; key: unknown }>({ table: text, key: text }),
  list: object<{ table: unknown; query: unknown }>({ table: text, query: optional(rowQuery) }),
  write: object<{ effects: unknown; idempotency_key: unknown }>({ effects: list(effect), idempotency_key: text }),
  extend: object<{ run_id: unknown; epoch: unknown; leaseMs: unknown }>({ run_id: text, epoch: whole, leaseMs: whole }),
  release: object<{ run_id: unknown; epoch: unknown }>({ run_id: text, epoch: whole }),
  commands: object<{ run_id: unknown; delivered: unknown }>({ run_id: text, delivered: list(text) }),
  read: object<{ run_id: unknown; after: unknown }>({ run_id: text, after: (value) => value === -1 || whole(value) }),
};

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
