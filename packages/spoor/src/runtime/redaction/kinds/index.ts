import { commandKinds } from "./commands.ts";
import type { Kind } from "./kind.ts";
import { namedKinds } from "./named.ts";
import { privateKeyKinds } from "./private-keys.ts";
import { providerKeyKinds } from "./provider-keys.ts";
import { requestKinds } from "./requests.ts";
import { tokenKinds } from "./tokens.ts";

export type { Example, Kind } from "./kind.ts";

/** All kinds of secrets, in order of precedence: where two match at one place, the first names the replacement. */
export const knownKinds: readonly Kind[] = [
  ...tokenKinds,
  ...providerKeyKinds,
  ...privateKeyKinds,
  ...requestKinds,
  ...commandKinds,
  ...namedKinds,
];
