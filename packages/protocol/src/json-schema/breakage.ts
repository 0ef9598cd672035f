/** One way in which the definitions break what was released. */
export interface Breakage {
  readonly code: BreakageCode;
  /** `type`, `type#field`, `type#field[].inner` or `type#field=value`. */
  readonly at: string;
  /** What broke, and what to do. */
  readonly message: string;
}

export function breakage(code: BreakageCode, at: string, before = "", now = ""): Breakage {
  return { code, at, message: sentences[code](`\`${at}\``, before, now) };
}

type Sentence = (at: string, before: string, now: string) => string;

const sentences = {
  type_removed: (at) =>
    `${at} is no longer defined, but runs are stored with it. Define it again; to rename a type, add the new one and keep the old.`,
  field_removed: (at) =>
    `${at} is no longer defined, but readers use it. Define it again; to rename a field, add the new one and keep the old.`,
  value_removed: (at) => `${at} is no longer allowed, but events are stored with it. Allow it again.`,
  retyped: (at, before, now) =>
    `${at} was ${before} and is now ${now}. Give it back its type; what is new belongs in a new optional field.`,
  made_required: (at) =>
    `${at} was optional and is now required, but events are stored without it. Make it optional again.`,
  required_added: (at) => `${at} is new and required, but events are stored without it. Make it optional.`,
  made_optional: (at) => `${at} was required and is now optional, but readers count on it. Make it required again.`,
  tightened: (at, before, now) =>
    `${at} allowed more (${before}) than it does now (${now}), and such events are stored. Take the new limit back.`,
  tombstone_reused: (at) =>
    `${at} is defined, but stands in tombstones.json: old events use it otherwise. Choose another name.`,
  tombstone_missing: (at) =>
    `${at} is gone with the new version. List it in tombstones.json, so that it is never used again.`,
} satisfies Record<string, Sentence>;

export type BreakageCode = keyof typeof sentences;
