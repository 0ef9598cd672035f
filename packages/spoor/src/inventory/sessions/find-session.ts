import { SpoorError, ValidationError } from "../../failures/errors.ts";
import type { SessionFile } from "./session-files.ts";
import type { SessionStore } from "./session-store.ts";
import { unifiedId } from "./session-summary.ts";

/**
 * Finds a session by `<agent>:<id>`, by the agent's own id, by the beginning or end of an id if only one session matches,
 * or by `last`, the newest one. `<agent>:last` is the newest session of one agent.
 */
export async function findSession(store: SessionStore, asked: string): Promise<SessionFile> {
  const colon = asked.indexOf(":");
  const agent = store.readableAgents.find((name) => name === asked.slice(0, colon));
  const text = agent === undefined ? asked : asked.slice(colon + 1);
  if (text === "") {
    throw new ValidationError([
      { field: "id", message: "The session id is empty. Run `spoor sessions` to list the ids." },
    ]);
  }
  if (text === "last") return newest(store, agent);
  const candidates = new Map<string, SessionFile>();
  for (const file of await store.files(agent)) {
    // Not every file name contains the whole id.
    const id = file.id ?? (await store.head(file)).summary.nativeId;
    const unified = unifiedId(file.agent, id);
    // Files are sorted newest first, so the first file of an id is the newest.
    if (matches(id, text) && !candidates.has(unified)) candidates.set(unified, file);
  }
  const exact = [...candidates].filter(([id]) => id.slice(id.indexOf(":") + 1) === text);
  const found = exact.length > 0 ? exact : [...candidates];
  const [first] = found;
  if (!first) {
    throw new SpoorError(
      "SESSION_NOT_FOUND",
      `There is no session "${asked}". Run \`spoor sessions\` to list the sessions.`,
    );
  }
  if (found.length === 1) return first[1];
  const shown = found.slice(0, SHOWN).map(([id]) => `  ${id}`);
  const rest = found.length > SHOWN ? [`  and ${found.length - SHOWN} more`] : [];
  const message = [`"${asked}" matches ${found.length} sessions:`, ...shown, ...rest, "Type more of the id."].join(
    "\n",
  );
  throw new ValidationError([{ field: "id", message }]);
}

const SHOWN = 10;

async function newest(store: SessionStore, agent: string | undefined): Promise<SessionFile> {
  const [known] = await store.list(agent, { limit: 1 });
  if (known) return known.file;
  throw new SpoorError("SESSION_NOT_FOUND", `There are no sessions${agent === undefined ? "" : ` of ${agent}`} yet.`);
}

function matches(id: string, text: string): boolean {
  const [whole, part] = [id.toLowerCase(), text.toLowerCase()];
  return whole.startsWith(part) || whole.endsWith(part);
}
