import type { AgentEventTypeLiteral } from "../agent-events/catalog.ts";
import type { EnvelopeType } from "../envelope/catalog.ts";
import { type Context, turnIndex } from "./context.ts";
import { as, type Conversion, type Data } from "./conversion.ts";
import type { Derivation } from "./derive.ts";

/** One way an AgentEvent stands as an envelope. */
export interface Row {
  readonly event: AgentEventTypeLiteral;
  readonly type: EnvelopeType;
  /** Field of the event → where it stands in data. Fields not listed (`accumulated`, …) are rebuilt by the reader. */
  readonly fields: Readonly<Record<string, Conversion>>;
  /** The row holds only for events with these values; they come back from the row, not from data. */
  readonly when?: Readonly<Data>;
  /** Data that is always the same here. */
  readonly fixed?: Readonly<Data>;
  /** What tells this row from others of its type when reading: present, and as `fixed` says where it does. */
  readonly marks?: readonly string[];
  readonly adds?: Readonly<Record<string, Context>>;
  readonly derived?: readonly Derivation[];
  /** Read, never written. */
  readonly readOnly?: true;
}

type FieldNames = Record<string, string | Conversion>;

/** `fields` as a name means the same value under that name. */
export function row(
  event: AgentEventTypeLiteral,
  type: EnvelopeType,
  fields: FieldNames = {},
  more: Omit<Row, "event" | "type" | "fields"> = {},
): Row {
  const conversions = Object.entries(fields).map(([name, to]) => [name, typeof to === "string" ? as(to) : to]);
  return { event, type, fields: Object.fromEntries(conversions), ...more };
}

/** What several groups of rows share. */
export const inTurn = { adds: { turn_index: turnIndex } };
export const ofCall = { toolCallId: "tool_call_id" };
