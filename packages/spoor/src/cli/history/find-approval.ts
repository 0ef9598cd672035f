import { idPrefixes } from "@spoor/protocol/ids";
import type { Log } from "../../log/log.ts";
import type { Row } from "../../log/tables.ts";
import { ExitError } from "../exit-error.ts";
import { ago } from "../output/format.ts";
import { plural } from "../output/plural.ts";
import { table } from "../output/table.ts";
import { matchesPart } from "./find-run.ts";

/**
 * Finds the approval that a person named: by its id, by a part of its id that matches only one open approval, by the run if
 * that has only one open approval, or by `last` if only one is open at all. A part that matches no open one may name one of
 * the newest that were answered, so that whoever answers it again is told who was first.
 */
export async function findApproval(log: Log, given: string): Promise<Row<"approvals">> {
  // The end of an id is printed as `…4T9W`, and may be copied with its dots.
  const typed = given.replace(/^(appr_)?(…|\.\.\.)(?=.)/, "");
  const named = await log.rows.find("approvals", typed);
  if (named) return named;
  const { rows } = await log.rows.list("approvals", { where: { status: "pending" }, limit: 1_000 });
  if (typed === "last") return onlyOne(rows);
  const matches = (id: string, prefix: string) => typed !== "" && matchesPart(id, typed, prefix);
  const byId = rows.filter(({ approval_id }) => matches(approval_id, idPrefixes.approval));
  const meant = byId.length > 0 ? byId : rows.filter(({ run_id }) => matches(run_id, idPrefixes.run));
  const [only] = meant;
  if (only && meant.length === 1) return only;
  const answered = only ? undefined : await findAnswered(log, typed);
  if (answered) return answered;
  if (!only) throw new ExitError(1, `No open approval matches "${typed}". \`spoor approvals\` lists the open ones.`);
  const list = table(meant.slice(0, 10).map((row) => ["", ...describe(row)]));
  throw new ExitError(1, `"${typed}" matches ${plural(meant.length, "open approval")}:\n${list}Type more of the id.`);
}

async function findAnswered(log: Log, typed: string): Promise<Row<"approvals"> | undefined> {
  if (typed === "") return undefined;
  const { rows } = await log.rows.list("approvals", { order: "requested_at", descending: true, limit: 1_000 });
  const [only, ...others] = rows.filter(({ approval_id }) => matchesPart(approval_id, typed, idPrefixes.approval));
  return others.length === 0 ? only : undefined;
}

function onlyOne(rows: readonly Row<"approvals">[]): Row<"approvals"> {
  const [only] = rows;
  if (only && rows.length === 1) return only;
  if (!only) throw new ExitError(1, "Nothing waits for permission.");
  const list = table(rows.slice(0, 10).map((row) => ["", ...describe(row)]));
  const message = `\`last\` needs one open approval, but ${rows.length} wait:\n${list}Name the one you mean.`;
  throw new ExitError(1, message);
}

/** A row of a table by which a person recognises an approval. */
export function describe({ approval_id, run_id, action, tool, requested_at, status, by }: Row<"approvals">): string[] {
  const { action: what, detail } = JSON.parse(action ?? "{}") as { action?: string; detail?: string };
  const decided = status === "pending" ? "" : `${status}${by === null ? "" : ` by ${by}`}`;
  const words = [what ?? tool ?? "", detail ?? ""].filter((text) => text !== "").join(": ");
  return [approval_id, run_id, ago(requested_at), decided, words.split("\n", 1).join()].filter((text) => text !== "");
}
