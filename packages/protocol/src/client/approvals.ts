import type {
  ApprovalList,
  ApprovalRecord,
  ApprovalsQuery,
  CommandBody,
  CommandList,
  CommandRecord,
  CommandsQuery,
  OneApproval,
  OneCommand,
  Resolve,
  SendBody,
} from "../api/approvals.ts";
import { type Connector, requestJson } from "./http.ts";
import type { CancelSignal } from "./web-platform.ts";

/** Options of a command. */
export interface CommandCallOptions {
  signal?: CancelSignal | undefined;
  idempotencyKey?: string | undefined;
  /** How many seconds to wait until the run has carried it out; 30 at most. */
  wait?: number | undefined;
}

/** The requests about approvals. */
export interface ApprovalCalls {
  /** Returns a page of approvals, newest first. */
  list(query?: ApprovalsQuery, options?: { signal?: CancelSignal | undefined }): Promise<ApprovalList>;
  get(approvalId: string, options?: { signal?: CancelSignal | undefined }): Promise<ApprovalRecord>;
  /** Answers an approval. The first answer counts; a later one throws with the code `approval_resolved`. */
  resolve(
    approvalId: string,
    answer: Resolve,
    options?: { signal?: CancelSignal | undefined; idempotencyKey?: string | undefined },
  ): Promise<ApprovalRecord>;
}

/** The requests that tell a run what to do. */
export interface CommandCalls {
  cancel(runId: string, body?: CommandBody, options?: CommandCallOptions): Promise<CommandRecord>;
  interrupt(runId: string, body?: CommandBody, options?: CommandCallOptions): Promise<CommandRecord>;
  pause(runId: string, body?: CommandBody, options?: CommandCallOptions): Promise<CommandRecord>;
  unpause(runId: string, body?: CommandBody, options?: CommandCallOptions): Promise<CommandRecord>;
  /** Gives the agent another prompt, or the answer to a question. */
  send(runId: string, body: SendBody, options?: CommandCallOptions): Promise<CommandRecord>;
  /** Returns a page of the run's commands, newest first. */
  commands(runId: string, query?: CommandsQuery, options?: { signal?: CancelSignal | undefined }): Promise<CommandList>;
}

/** A repeated answer has the key of the first, so the one who decided is not told that somebody else did. */
export function approvalCalls(connector: Connector, nextKey: () => string): ApprovalCalls {
  const place = (id: string) => `/v1/approvals/${encodeURIComponent(id)}`;
  return {
    list: (query = {}, { signal } = {}) =>
      requestJson<ApprovalList>(connector, { path: "/v1/approvals", query, expect: "list", signal }),
    get: async (id, { signal } = {}) =>
      (await requestJson<OneApproval>(connector, { path: place(id), expect: "approval", signal })).data,
    async resolve(id, body, { signal, idempotencyKey = nextKey() } = {}) {
      const request = { path: `${place(id)}/resolve`, expect: "approval", post: { body, idempotencyKey }, signal };
      return (await requestJson<OneApproval>(connector, request)).data;
    },
  };
}

/** Retries of a command use one idempotency key, so it is sent once. */
export function commandCalls(connector: Connector, nextKey: () => string): CommandCalls {
  const place = (id: string) => `/v1/runs/${encodeURIComponent(id)}`;
  const tell =
    (verb: string) =>
    async (id: string, body: object = {}, options: CommandCallOptions = {}): Promise<CommandRecord> => {
      const { idempotencyKey = nextKey(), wait, signal } = options;
      const query = { ...(wait !== undefined && { wait }) };
      const request = {
        path: `${place(id)}/${verb}`,
        query,
        expect: "command",
        post: { body, idempotencyKey },
        signal,
      };
      return (await requestJson<OneCommand>(connector, request)).data;
    };
  return {
    cancel: tell("cancel"),
    interrupt: tell("interrupt"),
    pause: tell("pause"),
    unpause: tell("unpause"),
    send: tell("send"),
    commands: (id, query = {}, { signal } = {}) =>
      requestJson<CommandList>(connector, { path: `${place(id)}/commands`, query, expect: "list", signal }),
  };
}
