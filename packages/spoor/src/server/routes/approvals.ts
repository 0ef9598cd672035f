import type * as api from "@spoor/protocol/api";
import type { Log } from "../../log/log.ts";
import type { Row } from "../../log/tables.ts";
import { ApprovalError } from "../../runtime/approvals/approval-error.ts";
import { approvalJson } from "../../runtime/commands/record-json.ts";
import { HttpError } from "../http/http-error.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import { readJson } from "../http/json-body.ts";
import { readers } from "../http/query-parameters.ts";
import { sendJson } from "../http/respond.ts";
import type { Route, RouteCall, RouteHandler } from "../http/route.ts";
import { findRun } from "./find-run.ts";
import { pageOf } from "./page-of-rows.ts";
import { readFields, text } from "./read-fields.ts";
import type { RouteContext } from "./route-context.ts";

const one = { description: "The record.", content: { "application/json": "OneApproval" } } as const;
const page = { description: "Newest first.", content: { "application/json": "ApprovalList" } } as const;

/** The inbox of everything that waits for permission, and the way to answer. */
export function approvalRoutes({ log }: RouteContext): Route[] {
  // Loaded at the first answer. Keep the promise: importing a loaded module still takes time.
  let loading: Promise<typeof import("../../runtime/commands/answer-approval.ts")> | undefined;

  async function list(call: RouteCall, run_id: string | undefined): Promise<void> {
    const status = readers.approvalStatus(call.query);
    const where = { ...(status && { status }), ...(run_id !== undefined && { run_id }) };
    const { rows, ...more } = await pageOf(log, "approvals", call.query, { where, order: "requested_at" });
    const answer: api.ApprovalList = { object: "list", data: rows.map(approvalJson), ...more };
    sendJson(call.response, 200, answer);
  }

  const ofRun: RouteHandler = async (call) => list(call, (await findRun(log, call)).run_id);

  async function resolve(call: RouteCall): Promise<void> {
    const fields = readFields(await readJson(call.request), {
      required: { decision: text },
      optional: { comment: text, action_hash: text },
    });
    const { decision, comment, action_hash } = fields;
    if (decision !== "approve" && decision !== "reject") {
      throw new HttpError("invalid", "`decision` must be `approve` or `reject`.");
    }
    loading ??= import("../../runtime/commands/answer-approval.ts");
    const { answerApproval } = await loading;
    const approval_id = call.path.approval_id ?? "";
    const key = idempotencyKeyOf(call.request);
    const send = (approval: Row<"approvals">) => {
      const answer: api.OneApproval = { object: "approval", data: approvalJson(approval) };
      sendJson(call.response, 200, answer);
    };
    try {
      const resolution = { approval_id, decision, by: "http", comment, action_hash, key } as const;
      send((await answerApproval(log, resolution)).approval);
    } catch (error) {
      if (!(error instanceof ApprovalError)) throw error;
      // Whoever did not hear the answer to their request repeats it, and is the one who decided.
      if (error.approval && (await isRepeated(log, error, decision, key))) return send(error.approval);
      throw httpErrorOf(error);
    }
  }

  const ofRunRoute = {
    method: "GET",
    summary: "List the approvals of a run",
    query: "RunApprovalsQuery",
    answers: { 200: page },
    handle: ofRun,
  } as const satisfies Omit<Route, "path" | "operation">;

  return [
    {
      method: "GET",
      path: "/v1/approvals",
      operation: "listApprovals",
      summary: "List approvals of all runs",
      query: "ApprovalsQuery",
      answers: { 200: page },
      handle: (call) => list(call, readers.text(call.query, "run_id")),
    },
    {
      method: "GET",
      path: "/v1/approvals/{approval_id}",
      operation: "getApproval",
      summary: "Get an approval",
      answers: { 200: one },
      async handle({ response, path }) {
        const row = await approvalOf(log, path.approval_id ?? "");
        const answer: api.OneApproval = { object: "approval", data: approvalJson(row) };
        sendJson(response, 200, answer);
      },
    },
    {
      method: "POST",
      path: "/v1/approvals/{approval_id}/resolve",
      operation: "resolveApproval",
      summary: "Answer an approval",
      description:
        "The first answer counts, no matter who gives it and where. A later one gets 409 with the record of the first; 410 means that nothing waits for the answer any more.",
      headers: { "Idempotency-Key": "A second request with the same key gets the record that the first one decided." },
      body: "Resolve",
      answers: { 200: one },
      handle: resolve,
    },
    { ...ofRunRoute, path: "/v1/runs/{run_id}/approvals", operation: "listRunApprovals" },
    { ...ofRunRoute, path: "/v1/tasks/{task_id}/runs/{run_id}/approvals", operation: "listTaskRunApprovals" },
  ];
}

async function approvalOf(log: Log, approval_id: string): Promise<Row<"approvals">> {
  const row = await log.rows.find("approvals", approval_id);
  if (!row) throw new HttpError("approval_not_found", `There is no approval ${approval_id}.`);
  return row;
}

/** Whether the decision that was already taken came from this very request. */
async function isRepeated(
  log: Log,
  { code, approval }: ApprovalError,
  decision: "approve" | "reject",
  key: string | undefined,
): Promise<boolean> {
  // Older clients name the approval instead of the request, in every tab.
  if (code !== "approval_resolved" || !approval || key === undefined || key === approval.approval_id) return false;
  const where = { run_id: approval.run_id, kind: decision === "approve" ? "approve" : "deny" };
  const { rows } = await log.rows.list("commands", { where });
  return rows.some(({ body }) => {
    const told = JSON.parse(body ?? "{}") as { approval_id?: unknown; key?: unknown };
    return told.approval_id === approval.approval_id && told.key === key;
  });
}

function httpErrorOf({ code, message, approval, successor }: ApprovalError): HttpError {
  const conflict = approval && {
    ...approvalJson(approval),
    ...(successor !== undefined && { successor_run_id: successor }),
  };
  return new HttpError(code, message, {}, conflict);
}
