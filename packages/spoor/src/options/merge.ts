import { exclusive, fields } from "./fields.ts";
import type { RunOptions } from "./run-options.ts";

export type Layer = Partial<RunOptions>;

/** One set of options out of several, the nearest first. What a nearer one leaves out, a farther one may say. */
export function mergeLayers(layers: readonly Layer[]): Layer {
  return layers.reduceRight<Layer>((far, near) => over(far, named(near)), {});
}

/** Our one name and word for what has several. */
function named({ sessionId, forkSessionId, approvalMode, ...layer }: Layer): Layer {
  const approve = layer.approve ?? approvalMode;
  return {
    ...layer,
    resume: layer.resume ?? sessionId,
    fork: layer.fork ?? forkSessionId,
    approve: approve === undefined ? undefined : (words[approve as keyof typeof words] ?? approve),
  } as Layer;
}

const words = { yolo: "auto", prompt: "ask" } as const;

function over(far: Layer, near: Layer): Layer {
  const merged: Record<string, unknown> = { ...far };
  // A nearer choice of one thing is a choice against its alternatives.
  for (const group of exclusive) {
    if (group.some((name) => near[name] !== undefined)) for (const name of group) delete merged[name];
  }
  for (const [name, value] of Object.entries(near)) {
    if (value === undefined) continue;
    merged[name] = combined(fields[name as keyof RunOptions]?.merge, merged[name], value);
  }
  return merged;
}

function combined(how: "keys" | "names" | undefined, far: unknown, near: unknown): unknown {
  if (how === undefined || far === undefined) return near;
  if (how === "keys") return { ...(far as object), ...(near as object) };
  const nearer = near as readonly { name: string }[];
  // An empty list takes away what farther layers say.
  if (nearer.length === 0) return near;
  const kept = (far as readonly { name: string }[]).filter(({ name }) => !nearer.some((each) => each.name === name));
  return [...kept, ...nearer];
}
