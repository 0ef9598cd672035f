import type { Log } from "../../log/log.ts";
import { dataDirectory, logExists } from "../../log/open.ts";
import type { Row } from "../../log/tables.ts";
import { approvalJson } from "../../runtime/commands/record-json.ts";
import { describe } from "../history/find-approval.ts";
import { withLog } from "../history/with-log.ts";
import { withWritableLog } from "../history/with-writable-log.ts";
import type { Io } from "../io.ts";
import { Display } from "../output/display.ts";
import { age, clock, endOfId } from "../output/format.ts";
import { type Cell, type GridColumn, grid } from "../output/grid.ts";
import { printJson } from "../output/json.ts";
import { createScreen } from "../output/screen.ts";
import { shortNames } from "../output/short-names.ts";
import { type Role, styleOf } from "../output/style.ts";
import { table } from "../output/table.ts";
import { fromHome } from "../render/paths.ts";

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
  else if (all) showAll(rows, io);
  else await withLog(place, (log) => showOpen(log, rows, io));
}

async function approvalsOf(log: Log, all: boolean): Promise<Row<"approvals">[]> {
  const where = all ? {} : { status: "pending" };
  const { rows } = await log.rows.list("approvals", { where, order: "requested_at", descending: all, limit: 1_000 });
  return all ? rows.reverse() : rows;
}

/** Open and decided ones, one line for each. A pipe gets whole ids. */
function showAll(rows: readonly Row<"approvals">[], io: Io): void {
  const style = styleOf(io.stdout);
  if (!Number.isFinite(style.columns)) {
    io.stdout.write(table(rows.map(describe)));
    return;
  }
  const ids = rows.map(({ approval_id }) => approval_id);
  const name = shortNames(ids, 4);
  const cells = rows.map((row): Cell[] => {
    const { mark, word, role } = decisions[row.status] ?? {
      mark: "■",
      word: row.status.replaceAll("_", " "),
      role: "dim" as const,
    };
    const { action = "", detail = "" } = JSON.parse(row.action ?? "{}") as { action?: string; detail?: string };
    const what = (detail.trim() === "" ? action : detail.trim()).split("\n", 1)[0] ?? "";
    return [
      { text: mark, role },
      { text: name(row.approval_id) },
      { text: endOfId(row.run_id) },
      { text: age(Date.now() - row.requested_at) },
      { text: word },
      { text: row.by ?? "" },
      { text: what },
    ];
  });
  const heads = ["", "ASKED", "RUN", "AGE", "DECIDED", "BY", "ACTION"];
  const columns = heads.map((head): GridColumn => ({ head, ...(head in leaving && { leaves: leaving[head] ?? 0 }) }));
  io.stdout.write(grid(columns, cells, style));
}

const leaving: Readonly<Record<string, number>> = { BY: 3, AGE: 2, RUN: 1 };
const decisions: Readonly<Record<string, { mark: string; word: string; role?: Role }>> = {
  pending: { mark: "▲", word: "waits", role: "yellow" },
  approved: { mark: "✓", word: "allowed", role: "green" },
  rejected: { mark: "✗", word: "denied", role: "red" },
};

/** Each open approval with its action, where it happens, the rule that asks, and how long it still waits. */
async function showOpen(log: Log, rows: readonly Row<"approvals">[], io: Io): Promise<void> {
  const screen = createScreen(new Display(io));
  const name = shortNames(
    rows.map(({ approval_id }) => approval_id),
    4,
  );
  for (const row of rows) {
    const left = row.expires_at === null ? undefined : row.expires_at - Date.now();
    const { action = "", detail = "", summary = "" } = JSON.parse(row.action ?? "{}") as Record<string, string>;
    screen.line([
      { text: "▲", role: "yellow" },
      { text: name(row.approval_id), role: "strong" },
      { text: (await log.run(row.run_id))?.agent ?? "", join: "  " },
      { text: row.risk ?? "", join: "  ", ...(row.risk === "high" && { role: "red" as const }) },
      { text: left === undefined ? "" : left > 0 ? `${clock(left)} left` : "too late", join: "  " },
      { text: `…${endOfId(row.run_id)}`, join: "  ", role: "cyan", leaves: 1 },
    ]);
    // The detail of a task says only how it is run.
    if (row.kind === "task" && summary.trim() !== "") screen.paragraph(summary.trim(), "  ");
    screen.paragraph(detail.trim() === "" ? action : detail.trim(), "  ");
    const facts = [row.cwd === null ? "" : `in ${fromHome(row.cwd)}`, row.rule === null ? "" : `rule ${row.rule}`];
    const shown = facts.filter((text) => text !== "").map((text) => ({ text, role: "dim" as const, join: " · " }));
    if (shown.length > 0)
      screen.line(["  ", ...shown.map((part, index) => (index === 0 ? { ...part, join: "" } : part))]);
  }
  const first = name(rows[0]?.approval_id ?? "");
  screen.line([
    { text: `spoor approve ${first}`, role: "dim" },
    { text: `spoor deny ${first} "why"`, role: "dim", join: " · ", leaves: 1 },
  ]);
}
