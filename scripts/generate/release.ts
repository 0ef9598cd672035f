import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Breakage } from "../../packages/protocol/src/json-schema/breakage.ts";
import { compare, type Tombstones } from "../../packages/protocol/src/json-schema/compare-schemas.ts";
import {
  currentDefinitions,
  type Fields,
  type Surface,
  surfaceOf,
} from "../../packages/protocol/src/json-schema/schema-surface.ts";

/** Records the definitions as released, unless they break an earlier release. */
export function release(root: string, definitions = currentDefinitions): Breakage[] {
  const folder = path.join(root, "packages/protocol/schemas");
  const current = surfaceOf(definitions);
  const tombstones = read<Tombstones>(folder, "tombstones.json") ?? { types: [], fields: [], values: [] };
  // A first release cannot break anything.
  const released = read<Surface>(folder, "released.json") ?? current;
  const breakages = compare(released, current, tombstones);
  if (breakages.length === 0) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "released.json"), surfaceText(current));
  }
  return breakages;
}

/** Writes one line per field, so that a diff between two releases is readable. */
export function surfaceText({ version, envelope, payloads, agentEvents }: Surface): string {
  const fields = (indent: string) => (value: Fields) => block(value, indent, (field) => JSON.stringify(field));
  const types = (value: Readonly<Record<string, Fields>>) => block(value, "  ", fields("    "));
  const parts = {
    version: JSON.stringify(version),
    envelope: fields("  ")(envelope),
    payloads: types(payloads),
    agentEvents: types(agentEvents),
  };
  return `${block(parts, "", (text) => text)}\n`;
}

function block<Value>(values: Readonly<Record<string, Value>>, indent: string, text: (value: Value) => string): string {
  const lines = Object.entries(values).map(([name, value]) => `${indent}  ${JSON.stringify(name)}: ${text(value)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function read<Content>(folder: string, name: string): Content | undefined {
  const place = path.join(folder, name);
  return existsSync(place) ? (JSON.parse(readFileSync(place, "utf8")) as Content) : undefined;
}
