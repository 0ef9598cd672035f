import type { Log } from "../../log/log.ts";
import { dataDirectory, logExists } from "../../log/open.ts";
import type { Row } from "../../log/tables.ts";
import { approvalJson } from "../../runtime/commands/record-json.ts";
import { describe } from "../history/find-approval.ts";
import { withLog } from "../history/with-log.ts";
import { withWritableLog } from "../history/with-writable-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { table, widthOf } from "../output/table.ts";

export interface ApprovalsOptions {
  data?: string;
  watch?: true;
  all?: true;
  json?: true;
}

/** Lists what waits for permission. */
export async function approvals({ data, watch, all, json }: ApprovalsOptions, io: Io): Promise<void> {
  const place = { ...(data !== undefined && { data }) };
  if (watch) {
    const { watchApprovals } = await import("../running/watch-approvals.ts");
    await withWritableLog(place, (log) => watchApprovals(log, io, { json: json === true }));
    return;
  }
  // Where nothing is recorded, nothing waits: whoever looks again and again gets no error until the first run.
  const rows = logExists(data ?? dataDirectory()) ? await withLog(place, (log) => approvalsOf(log, all === true)) : [];
  if (json) for (const row of rows) printJson(io.stdout, approvalJson(row));
  else if (rows.length === 0) io.stdout.write("Nothing waits for permission.\n");
  else io.stdout.write(table(rows.map(describe), widthOf(io.stdout)));
}

async function approvalsOf(log: Log, all: boolean): Promise<Row<"approvals">[]> {
  const where = all ? {} : { status: "pending" };
  const { rows } = await log.rows.list("approvals", { where, order: "requested_at", descending: all, limit: 1_000 });
  return all ? rows.reverse() : rows;
}
