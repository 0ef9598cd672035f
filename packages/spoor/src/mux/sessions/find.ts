import { SpoorError, ValidationError } from "../errors.ts";
import type { SessionFile } from "./files.ts";
import { unifiedId } from "./session.ts";
import type { SessionStore } from "./store.ts";

/** The session that is meant by `<agent>:<id>`, by an agent's own id, or by an end of it that no other has. */
export async function findSession(store: SessionStore, asked: string): Promise<SessionFile> {
  const colon = asked.indexOf(":");
  const agent = store.keepers.find((name) => name === asked.slice(0, colon));
  const text = agent === undefined ? asked : asked.slice(colon + 1);
  if (text === "")
    throw new ValidationError([{ field: "id", message: "Say which session: its id, or the end of it." }]);
  const candidates = new Map<string, SessionFile>();
  for (const file of await store.files(agent)) {
    // Only some names tell the whole id.
    const id = file.id ?? (await store.head(file)).summary.nativeId;
    const unified = unifiedId(file.agent, id);
    // The newest comes first.
    if (id.endsWith(text) && !candidates.has(unified)) candidates.set(unified, file);
  }
  const exact = [...candidates].filter(([id]) => id.slice(id.indexOf(":") + 1) === text);
  const found = exact.length > 0 ? exact : [...candidates];
  const [first] = found;
  if (!first) throw new SpoorError("SESSION_NOT_FOUND", `There is no session "${asked}".`);
  if (found.length === 1) return first[1];
  const some = found.slice(0, SHOWN).map(([id]) => id);
  const rest = found.length > SHOWN ? [`and ${found.length - SHOWN} more`] : [];
  const message = `"${asked}" may be any of these: ${[...some, ...rest].join(", ")}.`;
  throw new ValidationError([{ field: "id", message }]);
}

const SHOWN = 5;
