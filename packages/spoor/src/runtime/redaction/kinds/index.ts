import type { Kind } from "./kind.ts";
import { namedKinds } from "./named.ts";
import { shapeKinds } from "./shapes.ts";
import { tokenKinds } from "./tokens.ts";

export type { Example, Kind } from "./kind.ts";

/** Every kind of secret that is known. Where several stand, the first gives its name. */
export const knownKinds: readonly Kind[] = [...tokenKinds, ...shapeKinds, ...namedKinds];
