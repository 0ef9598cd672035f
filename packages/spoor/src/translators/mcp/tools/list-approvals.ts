import { Type } from "@sinclair/typebox";
import { approvalStatuses } from "@spoor/protocol/api";
import { approvalJson } from "../../../runtime/commands/record-json.ts";
import { cursorOf, placeOf } from "../answers/cursor.ts";
import { fillPage } from "../answers/page.ts";
import { findRun } from "./find.ts";
import {
  answerOf,
  argumentsOf,
  cursorArgument,
  limitArgument,
  nextCursor,
  oneOf,
  readingTool,
  recordOf,
  runArgument,
} from "./tool.ts";

/** An approval in an answer. */
export const Approval = recordOf(
  { approval_id: Type.String(), run_id: Type.String(), status: Type.String(), requested_at: Type.String() },
  "A request for permission: what shall be done, where, by which rule it is asked, and until when it waits.",
);

/** Lists what waits for permission. */
export const listApprovals = readingTool({
  name: "list_approvals",
  title: "List what waits for permission",
  description:
    "List actions of agents that wait for a person's permission, newest first: the command or change, its risk, its diff, the rule that asks and when it expires. With `status` also decided ones, with who decided and why.",
  input: argumentsOf({
    status: Type.Optional(oneOf([...approvalStatuses, "all" as const], "`pending` if absent.")),
    run: Type.Optional(runArgument),
    cursor: cursorArgument,
    limit: limitArgument(20),
  }),
  output: answerOf({ approvals: Type.Array(Approval), next_cursor: nextCursor }),
  async call(context, input) {
    const { status = "pending", run, limit = 20 } = input;
    const place = placeOf("list_approvals", input);
    const log = await context.log();
    const run_id = run === undefined ? undefined : (await findRun(log, String(place?.run_id ?? run))).run_id;
    // Ordered by id, so that a cursor stays valid when its approval is decided or removed.
    const { rows, more } = await log.rows.list("approvals", {
      where: { ...(status !== "all" && { status }), ...(run_id !== undefined && { run_id }) },
      descending: true,
      limit,
      ...(typeof place?.after === "string" && { after: place.after }),
    });
    const { items: approvals, count } = fillPage(rows.map(approvalJson));
    const last = rows[count - 1];
    const isMore = last !== undefined && (more || count < rows.length);
    const next = () =>
      cursorOf("list_approvals", input, { after: last?.approval_id ?? "", ...(run_id !== undefined && { run_id }) });
    const words = `${count} ${count === 1 ? "approval" : "approvals"}${status === "all" ? "" : `, ${status}`}, newest first${isMore ? "; more with cursor" : ""}.`;
    return { words, data: { approvals, next_cursor: isMore ? next() : null } };
  },
});
