import { optionGroups } from "./option-groups.ts";
import type { OptionRow } from "./option-row.ts";
import type { RunOptions } from "./run-options.gen.ts";
import { rowOf } from "./run-options.ts";

/** The options of one source: a call, a profile, a client or a configuration file. */
export type OptionLayer = Partial<RunOptions>;

/** Merges layers of options, given from nearest to farthest. A nearer layer wins; each row says how values combine. */
export function mergeLayers(layers: readonly OptionLayer[]): OptionLayer {
  return layers.reduceRight<OptionLayer>((far, near) => mergeTwo(far, normalize(near)), {});
}

/** Replaces alternative names of options and values by the names that adapters use. */
function normalize(layer: OptionLayer): OptionLayer {
  const normal: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(layer)) {
    const target = rowOf(name)?.aliasOf ?? name;
    if (value === undefined || (target !== name && layer[target as keyof OptionLayer] !== undefined)) continue;
    normal[target] = rowOf(target)?.synonyms?.[String(value)] ?? value;
  }
  return normal;
}

function mergeTwo(far: OptionLayer, near: OptionLayer): OptionLayer {
  const merged: Record<string, unknown> = { ...far };
  for (const group of optionGroups) {
    if (group.some((name) => near[name] !== undefined)) for (const name of group) delete merged[name];
  }
  for (const [name, value] of Object.entries(near)) merged[name] = combine(rowOf(name)?.merge, merged[name], value);
  return merged;
}

function combine(how: OptionRow["merge"], far: unknown, near: unknown): unknown {
  if (how === undefined || far === undefined) return near;
  if (how === "keys") return { ...(far as object), ...(near as object) };
  const nearer = near as readonly { name: string }[];
  // An empty list removes what farther layers set.
  if (nearer.length === 0) return near;
  const farther = (far as readonly { name: string }[]).filter(({ name }) => !nearer.some((each) => each.name === name));
  return [...farther, ...nearer];
}
