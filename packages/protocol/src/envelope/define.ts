import { optional, Text, type TProperties, type TSchema, Type } from "../schema.ts";

/**
 * How stable a type is.
 *
 * - `core`: the candidate core of the protocol, and the types in its events reference.
 * - `artifact`: useful when artifacts are stored; its pointers may be absent until then.
 * - `experimental`: named by the protocol outside its core; a frontend may ignore it.
 * - `additive`: added by Spoor, so that each of the 67 AgentEvents has a counterpart and every loss is recorded.
 */
export const standings = ["core", "artifact", "experimental", "additive"] as const;
export type Standing = (typeof standings)[number];

/** What redaction removed. Any payload may have these fields. */
const redaction = {
  redacted_keys: optional(
    Type.Array(Text("The name of a key."), { description: "Names of keys whose values were removed." }),
  ),
  redacted_paths: optional(
    Type.Array(Text("A path inside `data`."), { description: "Paths inside `data` whose text was removed." }),
  ),
};

/** Defines one dotted type and the payload in its `data`. */
export function dotted<const Name extends string, Fields extends TProperties>(
  type: Name,
  standing: Standing,
  summary: string,
  fields: Fields,
) {
  return { type, standing, summary, data: Type.Object({ ...fields, ...redaction }, { description: summary }) } as const;
}

/** The definition of one dotted type in the envelope catalog. */
export interface Definition {
  readonly type: string;
  readonly standing: Standing;
  readonly summary: string;
  readonly data: TSchema & { properties: TProperties; required?: string[] | undefined };
}

/** A turn number as stored: from 1; 0 for events before the first turn. */
export const turnIndex = Type.Integer({
  minimum: 0,
  description: "Turn within the run, from 1; 0 before the first turn.",
});
