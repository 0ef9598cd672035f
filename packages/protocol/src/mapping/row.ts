import type { AgentEventTypeLiteral } from "../agent-events/catalog.ts";
import type { EnvelopeType } from "../envelope/catalog.ts";
import { type Context, turnIndex } from "./context.ts";
import { as, type Conversion, type Data } from "./conversion.ts";
import type { Derivation } from "./derive.ts";

/** One way to store an AgentEvent as an envelope. */
export interface Row {
  readonly event: AgentEventTypeLiteral;
  readonly type: EnvelopeType;
  /** Fields of the event and their data fields. The decoder rebuilds fields that are not listed, such as `accumulated`. */
  readonly fields: Readonly<Record<string, Conversion>>;
  /** The row applies only to events with these values. The decoder takes them from here, not from the data. */
  readonly when?: Readonly<Data>;
  /** Data fields with a constant value. */
  readonly fixed?: Readonly<Data>;
  /** Data fields by which the decoder selects this row: each must be present, with the value in `fixed` if there is one. */
  readonly marks?: readonly string[];
  readonly adds?: Readonly<Record<string, Context>>;
  readonly derived?: readonly Derivation[];
  /** Used by the decoder only. */
  readonly readOnly?: true;
}

type FieldNames = Record<string, string | Conversion>;

/** A field given as a name is copied unchanged under that name. */
export function row(
  event: AgentEventTypeLiteral,
  type: EnvelopeType,
  fields: FieldNames = {},
  more: Omit<Row, "event" | "type" | "fields"> = {},
): Row {
  const conversions = Object.entries(fields).map(([name, to]) => [name, typeof to === "string" ? as(to) : to]);
  return { event, type, fields: Object.fromEntries(conversions), ...more };
}

/** Shared by several groups of rows. */
export const inTurn = { adds: { turn_index: turnIndex } };
export const ofCall = { toolCallId: "tool_call_id" };
