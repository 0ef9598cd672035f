import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { shapeOf } from "./shape.ts";

/** The frames of an agent, scenario by scenario, in a compact form with which a later version can be compared. */
export interface Wire {
  version: string;
  /** The fields of each kind of frame, in any scenario. */
  frames: Record<string, string[]>;
  /** The kinds of frames and types of events that occurred, each by its index in the sorted list. */
  scenarios: Record<string, { frames: number[]; events: number[] }>;
  events: string[];
}

export const wiresFile = fileURLToPath(new URL("wire.gen.json", import.meta.url));

export const readWires = (): Record<string, Wire> =>
  existsSync(wiresFile) ? JSON.parse(readFileSync(wiresFile, "utf8")) : {};

/** One line per kind of frame and per scenario, so that a diff shows what changed. */
export function printWires(wires: Readonly<Record<string, Wire>>): string {
  const table = (rows: object) => {
    const lines = Object.entries(rows).map(([name, row]) => `      ${JSON.stringify(name)}: ${JSON.stringify(row)}`);
    return `{\n${lines.join(",\n")}\n    }`;
  };
  const agents = Object.entries(wires).map(
    ([agent, { version, frames, scenarios, events }]) => `  ${JSON.stringify(agent)}: {
    "version": ${JSON.stringify(version)},
    "frames": ${table(frames)},
    "scenarios": ${table(scenarios)},
    "events": ${JSON.stringify(events)}
  }`,
  );
  return `{\n${agents.join(",\n")}\n}\n`;
}

/** One scenario: the lines that the agent wrote, and the types of the events that they became. */
export interface Heard {
  lines: readonly string[];
  events: readonly string[];
}

export function wireOf(version: string, heard: Readonly<Record<string, Heard>>): Wire {
  const fields = new Map<string, Set<string>>();
  const kinds = new Map<string, Set<string>>();
  for (const [scenario, { lines }] of Object.entries(heard)) {
    const seen = new Set<string>();
    for (const line of lines) {
      const shape = shapeOf(parsed(line));
      if (!shape) continue;
      seen.add(shape.kind);
      const known = fields.get(shape.kind) ?? new Set();
      fields.set(shape.kind, known);
      for (const field of shape.fields) known.add(field);
    }
    kinds.set(scenario, seen);
  }
  const frames = [...fields.keys()].sort();
  const events = [...new Set(Object.values(heard).flatMap((one) => one.events))].sort();
  return {
    version,
    frames: Object.fromEntries(frames.map((kind) => [kind, [...(fields.get(kind) ?? [])].sort()])),
    scenarios: Object.fromEntries(
      Object.entries(heard).map(([scenario, one]) => [
        scenario,
        { frames: placesOf(kinds.get(scenario) ?? [], frames), events: placesOf(one.events, events) },
      ]),
    ),
    events,
  };
}

/** The names behind a scenario's numbers. */
export function seenIn(wire: Wire, scenario: string): { frames: string[]; events: string[] } {
  const kinds = Object.keys(wire.frames);
  const { frames = [], events = [] } = wire.scenarios[scenario] ?? {};
  const names = (places: readonly number[], list: readonly string[]) => places.flatMap((place) => list[place] ?? []);
  return { frames: names(frames, kinds), events: names(events, wire.events) };
}

const placesOf = (names: Iterable<string>, list: readonly string[]): number[] =>
  [...new Set(names)].map((name) => list.indexOf(name)).sort((a, b) => a - b);

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
