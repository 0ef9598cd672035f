import { type Breakage, breakage } from "./breakage.ts";
import type { Field, Fields, Shape, Surface } from "./schema-surface.ts";

/** Names that were removed with an old version and must never be used again. */
export interface Tombstones {
  /** `tool.old`, `old_event` */
  readonly types: readonly string[];
  /** `tool.shell.exited#old_field`, `envelope#old_field` */
  readonly fields: readonly string[];
  /** `tool.shell.command#sandbox_layer=chroot` */
  readonly values: readonly string[];
}

/**
 * Lists the incompatible changes between the released and the current definitions. New types, new optional fields, new
 * values and wider limits are compatible. With a new version, anything may be removed if a tombstone lists it.
 */
export function compare(released: Surface, current: Surface, tombstones: Tombstones): Breakage[] {
  const sameVersion = released.version === current.version;
  const removed: ReadonlySet<string> = new Set(Object.values(tombstones).flat());
  const now = typesOf(current);

  const broken = [...typesOf(released)].flatMap(([type, fields]) => {
    const found = now.get(type);
    return found ? compareFields(fields, found, `${type}#`) : [breakage("type_removed", type)];
  });
  const reused = namesIn(now).filter((name) => removed.has(name));
  return [
    ...(sameVersion
      ? broken
      : broken.filter(({ code, at }) => code.endsWith("_removed") && !removed.has(at)).map(withoutTombstone)),
    ...reused.map((name) => breakage("tombstone_reused", name)),
  ];
}

const withoutTombstone = ({ at }: Breakage): Breakage => breakage("tombstone_missing", at);

function compareFields(before: Fields, now: Fields, path: string): Breakage[] {
  const kept = Object.entries(before).flatMap(([name, field]) => {
    const found = now[name];
    return found ? compareField(field, found, path + name) : [breakage("field_removed", path + name)];
  });
  const added = Object.entries(now)
    .filter(([name, field]) => field.required && !before[name])
    .map(([name]) => breakage("required_added", path + name));
  return [...kept, ...added];
}

function compareField(before: Field, now: Field, at: string): Breakage[] {
  const found = compareShape(before, now, at);
  if (before.required && !now.required) return [breakage("made_optional", at), ...found];
  if (!before.required && now.required) return [breakage("made_required", at), ...found];
  return found;
}

function compareShape(before: Shape, now: Shape, at: string): Breakage[] {
  if (before.type !== now.type) return [breakage("retyped", at, before.type, now.type)];
  const found: Breakage[] = [];
  if (before.values && now.values) {
    const gone = before.values.filter((value) => !now.values?.includes(value));
    found.push(...gone.map((value) => breakage("value_removed", `${at}=${value}`)));
  } else if (now.values) {
    found.push(breakage("tightened", at, "any value", now.values.map((value) => JSON.stringify(value)).join(", ")));
  }
  for (const [limit, value] of Object.entries(now.limits ?? {})) {
    const old = before.limits?.[limit];
    if (isTighter(limit, old, value))
      found.push(breakage("tightened", at, `${limit} ${old ?? "none"}`, `${limit} ${value}`));
  }
  if (before.items && now.items) found.push(...compareShape(before.items, now.items, `${at}[]`));
  if (before.fields && now.fields) found.push(...compareFields(before.fields, now.fields, `${at}.`));
  return found;
}

/** Two patterns cannot be compared, so a different pattern counts as tighter. */
function isTighter(limit: string, before: string | number | undefined, now: string | number): boolean {
  if (before === undefined || limit === "pattern") return before !== now;
  return limit.startsWith("min") ? now > before : now < before;
}

const typesOf = ({ envelope, payloads, agentEvents }: Surface): Map<string, Fields> =>
  new Map([["envelope", envelope], ...Object.entries(payloads), ...Object.entries(agentEvents)]);

function namesIn(types: Map<string, Fields>): string[] {
  const inShape = (shape: Shape, at: string): string[] => [
    ...(shape.values ?? []).map((value) => `${at}=${value}`),
    ...(shape.items ? inShape(shape.items, `${at}[]`) : []),
    ...(shape.fields ? inFields(shape.fields, `${at}.`) : []),
  ];
  const inFields = (fields: Fields, path: string): string[] =>
    Object.entries(fields).flatMap(([name, field]) => [path + name, ...inShape(field, path + name)]);
  return [...types].flatMap(([type, fields]) => [type, ...inFields(fields, `${type}#`)]);
}
