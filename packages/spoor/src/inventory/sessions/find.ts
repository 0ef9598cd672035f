import { SpoorError, ValidationError } from "../../failures/errors.ts";
import { unifiedId } from "./session.ts";
import type { SessionFile } from "./session-files.ts";
import type { SessionStore } from "./store.ts";

/**
 * The session that is meant by `<agent>:<id>`, by an agent's own id, by a part at the beginning or end of it that fits no
 * other, or by `last`, the newest; `<agent>:last` is the newest of one agent.
 */
export async function findSession(store: SessionStore, asked: string): Promise<SessionFile> {
  const colon = asked.indexOf(":");
  const agent = store.keepers.find((name) => name === asked.slice(0, colon));
  const text = agent === undefined ? asked : asked.slice(colon + 1);
  if (text === "") {
    throw new ValidationError([{ field: "id", message: "The session's id is empty. `spoor sessions` lists them." }]);
  }
  if (text === "last") return newest(store, agent);
  const candidates = new Map<string, SessionFile>();
  for (const file of await store.files(agent)) {
    // Only some names tell the whole id.
    const id = file.id ?? (await store.head(file)).summary.nativeId;
    const unified = unifiedId(file.agent, id);
    // The newest comes first.
    if (fits(id, text) && !candidates.has(unified)) candidates.set(unified, file);
  }
  const exact = [...candidates].filter(([id]) => id.slice(id.indexOf(":") + 1) === text);
  const found = exact.length > 0 ? exact : [...candidates];
  const [first] = found;
  if (!first) {
    throw new SpoorError(
      "SESSION_NOT_FOUND",
      `There is no session "${asked}". \`spoor sessions\` lists those there are.`,
    );
  }
  if (found.length === 1) return first[1];
  const some = found.slice(0, SHOWN).map(([id]) => `  ${id}`);
  const rest = found.length > SHOWN ? [`  and ${found.length - SHOWN} more`] : [];
  const message = [`"${asked}" fits ${found.length} sessions:`, ...some, ...rest, "Type more of the id."].join("\n");
  throw new ValidationError([{ field: "id", message }]);
}

const SHOWN = 10;

async function newest(store: SessionStore, agent: string | undefined): Promise<SessionFile> {
  const [known] = await store.list(agent, { limit: 1 });
  if (known) return known.file;
  throw new SpoorError("SESSION_NOT_FOUND", `There are no sessions${agent === undefined ? "" : ` of ${agent}`} yet.`);
}

function fits(id: string, text: string): boolean {
  const [whole, part] = [id.toLowerCase(), text.toLowerCase()];
  return whole.startsWith(part) || whole.endsWith(part);
}
