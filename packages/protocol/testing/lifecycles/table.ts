import { approvals } from "./approvals.ts";
import { conversations } from "./conversations.ts";
import { ends } from "./ends.ts";
import { stored } from "./steps.ts";

/** The golden lifecycles. */
export const lifecycles = { ...conversations, ...approvals, ...ends } as const;

export type LifecycleName = keyof typeof lifecycles;

/** The stored form of every lifecycle, by its fixture name. */
export const storedLifecycles: Readonly<Record<string, () => string[]>> = Object.fromEntries(
  Object.entries(lifecycles).map(([name, { steps }]) => [`lifecycle-${name}`, () => stored(steps)]),
);
