import type { Piece } from "../../log/log.ts";
import { numbersOf } from "../../log/ranges.ts";
import type { EventSource } from "../feeds/event-source.ts";
import { putCommas } from "../feeds/json-list.ts";
import { readers } from "../http/query-parameters.ts";
import { sendReusedBuffer } from "../http/respond.ts";
import { ReusedBuffer } from "../http/reused-buffer.ts";
import type { RouteCall } from "../http/route.ts";

/** Sends one page as a JSON list. The envelopes in it are the stored bytes. In a list of all runs, their positions follow. */
export async function sendList(
  { query, response }: RouteCall,
  { read, match }: Pick<EventSource, "read" | "match">,
  after = -1,
  { withPositions = false } = {},
): Promise<void> {
  const limit = readers.limit(query);
  const buffer = new ReusedBuffer();
  buffer.add(START);
  const positions: number[] = [];
  const each = (piece: Piece) => {
    putCommas(buffer.add(piece.bytes));
    if (withPositions) positions.push(...numbersOf(piece.positions));
  };
  const page = await read({ after, limit, each, ...(match && { match }) });
  const isEmpty = buffer.bytes.length === START.length;
  const next = isEmpty && !page.more ? after : page.next;
  // Drop the comma after the last item.
  if (!isEmpty) buffer.drop(1);
  const where = withPositions ? `,"positions":[${positions}]` : "";
  buffer.add(Buffer.from(`],"has_more":${page.more},"next_after_sequence":${next}${where}}\n`));
  sendReusedBuffer(response, 200, "application/json; charset=utf-8", buffer);
}

const START = Buffer.from('{"object":"list","data":[');
