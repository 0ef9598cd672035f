import { optional, Text, type TProperties, type TSchema, Type } from "../schema.ts";

/**
 * How far a reader may lean on a type.
 *
 * - `core`: the candidate core of the protocol, and what its events reference emits.
 * - `artifact`: meaningful once artifacts are stored; carries pointers that may be absent until then.
 * - `experimental`: named by the protocol outside its core; optional for every frontend.
 * - `additive`: ours, so that each of the 67 AgentEvents has a counterpart and no loss goes unsaid.
 */
export const standings = ["core", "artifact", "experimental", "additive"] as const;
export type Standing = (typeof standings)[number];

/** What redaction took out, on any payload it touched. */
const redaction = {
  redacted_keys: optional(Type.Array(Text("A name."), { description: "Names of keys whose values were taken out." })),
  redacted_paths: optional(
    Type.Array(Text("A path."), { description: "Paths inside `data` whose text was taken out." }),
  ),
};

/** Defines one dotted type with the payload its `data` holds. */
export function dotted<const Name extends string, Fields extends TProperties>(
  type: Name,
  standing: Standing,
  summary: string,
  fields: Fields,
) {
  return { type, standing, summary, data: Type.Object({ ...fields, ...redaction }, { description: summary }) } as const;
}

export interface Definition {
  readonly type: string;
  readonly standing: Standing;
  readonly summary: string;
  readonly data: TSchema & { properties: TProperties; required?: string[] | undefined };
}

/** A turn as stored: 1-based, 0 for what precedes the first turn. */
export const turnIndex = Type.Integer({ minimum: 0, description: "Turn within the run, from 1; 0 before the first." });
