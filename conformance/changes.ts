import { seenIn, type Wire } from "./wire.ts";

/** The result of a run: the outcome of each scenario, and the frames. */
export interface Showing {
  scenarios: Readonly<Record<string, string>>;
  wire: Wire;
}

/** The differences of a later version, as sentences that tell a maintainer what to do. */
export function changesOf(pinned: Showing, latest: Showing): string[] {
  return [...outcomes(pinned, latest), ...frames(pinned.wire, latest.wire), ...events(pinned.wire, latest.wire)];
}

/** Whether a scenario has another outcome, which only a change of the adapter can fix. */
export const isBroken = (pinned: Showing, latest: Showing): boolean => outcomes(pinned, latest).length > 0;

function outcomes({ scenarios: before }: Showing, { scenarios: now }: Showing): string[] {
  return Object.keys(now)
    .filter((name) => before[name] !== undefined && before[name] !== now[name])
    .map((name) => `Scenario "${name}" has another outcome. Before: ${before[name]} Now: ${now[name]}`);
}

function frames(before: Wire, now: Wire): string[] {
  const fresh = missing(Object.keys(now.frames), Object.keys(before.frames));
  const gone = missing(Object.keys(before.frames), Object.keys(now.frames));
  const both = Object.keys(now.frames).filter((kind) => kind in before.frames);
  return [
    ...fresh.map(
      (kind) =>
        `New frame "${kind}" ${where(now, kind)}; its fields: ${list(now.frames[kind] ?? [])}. Extend the adapter.`,
    ),
    ...gone.map((kind) => `Frame "${kind}" is gone; it came ${where(before, kind)}. Find the frame that replaces it.`),
    ...both.flatMap((kind) => fields(kind, before.frames[kind] ?? [], now.frames[kind] ?? [])),
    ...both.flatMap((kind) => moved(kind, before, now)),
  ];
}

function fields(kind: string, before: readonly string[], now: readonly string[]): string[] {
  const fresh = missing(now, before);
  const gone = missing(before, now);
  return [
    ...(fresh.length > 0 ? [`Frame "${kind}" has new fields: ${list(fresh)}.`] : []),
    ...(gone.length > 0 ? [`Frame "${kind}" has lost fields: ${list(gone)}. Check the code that reads them.`] : []),
  ];
}

/** A kind of frame that is new in a scenario, or that no longer comes. */
function moved(kind: string, before: Wire, now: Wire): string[] {
  const had = scenariosWith(before, kind).filter((name) => name in now.scenarios);
  const has = scenariosWith(now, kind).filter((name) => name in before.scenarios);
  const fresh = missing(has, had);
  const gone = missing(had, has);
  return [
    ...(fresh.length > 0 ? [`Frame "${kind}" now also comes in: ${list(quoted(fresh))}.`] : []),
    ...(gone.length > 0 ? [`Frame "${kind}" no longer comes in: ${list(quoted(gone))}.`] : []),
  ];
}

function events(before: Wire, now: Wire): string[] {
  return Object.keys(now.scenarios).flatMap((scenario) => {
    if (!(scenario in before.scenarios)) return [];
    const fresh = missing(seenIn(now, scenario).events, seenIn(before, scenario).events);
    const gone = missing(seenIn(before, scenario).events, seenIn(now, scenario).events);
    return [
      ...(fresh.length > 0 ? [`Scenario "${scenario}" has new events: ${list(fresh)}.`] : []),
      ...(gone.length > 0 ? [`Scenario "${scenario}" has lost events: ${list(gone)}.`] : []),
    ];
  });
}

const scenariosWith = (wire: Wire, kind: string): string[] =>
  Object.keys(wire.scenarios).filter((scenario) => seenIn(wire, scenario).frames.includes(kind));

const where = (wire: Wire, kind: string): string => `in ${list(quoted(scenariosWith(wire, kind)))}`;

const quoted = (names: readonly string[]): string[] => names.map((name) => `"${name}"`);

const missing = (names: readonly string[], among: readonly string[]): string[] =>
  names.filter((name) => !among.includes(name));

const SHOWN = 12;

const list = (names: readonly string[]): string =>
  names.length > SHOWN ? `${names.slice(0, SHOWN).join(", ")} and ${names.length - SHOWN} more` : names.join(", ");
