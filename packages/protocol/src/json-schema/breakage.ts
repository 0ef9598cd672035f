/** One incompatible change of the definitions compared with the released ones. */
export interface Breakage {
  readonly code: BreakageCode;
  /** `type`, `type#field`, `type#field[].inner` or `type#field=value`. */
  readonly at: string;
  /** What broke, and what to do. */
  readonly message: string;
}

/** Makes a breakage with its message. */
export function breakage(code: BreakageCode, at: string, before = "", now = ""): Breakage {
  return { code, at, message: sentences[code](`\`${at}\``, before, now) };
}

type Sentence = (at: string, before: string, now: string) => string;

const sentences = {
  type_removed: (at) =>
    `${at} is no longer defined, but stored runs use it. Define it again. To rename a type, add the new one and keep the old one.`,
  field_removed: (at) =>
    `${at} is no longer defined, but readers use it. Define it again. To rename a field, add the new one and keep the old one.`,
  value_removed: (at) => `${at} is no longer allowed, but stored events use it. Allow it again.`,
  retyped: (at, before, now) =>
    `${at} was ${before} and is now ${now}. Restore its type, and use a new optional field for the new type.`,
  made_required: (at) => `${at} was optional and is now required, but stored events lack it. Make it optional again.`,
  required_added: (at) => `${at} is new and required, but stored events lack it. Make it optional.`,
  made_optional: (at) => `${at} was required and is now optional, but readers rely on it. Make it required again.`,
  tightened: (at, before, now) =>
    `${at} allowed more (${before}) than it does now (${now}), and stored events use the wider range. Remove the new limit.`,
  tombstone_reused: (at) =>
    `${at} is defined, but tombstones.json lists it, because old events use it with another meaning. Choose another name.`,
  tombstone_missing: (at) =>
    `${at} was removed with the new version. List it in tombstones.json, so that its name is never used again.`,
} satisfies Record<string, Sentence>;

export type BreakageCode = keyof typeof sentences;
