import type { RowQuery } from "../../log/effects.ts";
import type { Log } from "../../log/log.ts";
import { type Row, type Table, tables } from "../../log/tables.ts";
import { readers } from "../http/query-parameters.ts";

/** A page of rows, the newest first, for the query parameters `before` and `limit`. */
export async function pageOf<T extends Table>(
  log: Log,
  table: T,
  query: URLSearchParams,
  { where, order }: Pick<RowQuery<T>, "where" | "order">,
): Promise<{ rows: Row<T>[]; has_more: boolean; next_before: string | null }> {
  const after = readers.text(query, "before");
  const { rows, more } = await log.rows.list(table, {
    ...(where && { where }),
    ...(order && { order }),
    descending: true,
    limit: readers.limit(query),
    ...(after !== undefined && { after }),
  });
  const last = rows.at(-1) as Record<string, unknown> | undefined;
  return { rows, has_more: more, next_before: more && last ? String(last[tables[table].key]) : null };
}
