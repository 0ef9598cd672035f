import { asCount, asObject, asText, type Json } from "../../../kit/json-values.ts";
import { lookUp } from "../../../kit/look-up.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import type { UsageTotals } from "../../../kit/usage-totals.ts";
import type { Signal } from "../../../signal.ts";

export type Sessions = ReturnType<typeof createSessions>;

/** Whether a session was resumed or forked. */
type Way = Pick<Extract<Signal, { kind: "session" }>, "forkedFrom" | "resumed">;

/**
 * Tracks the agent's session. The rpc mode does not report the id when a session starts or is forked. The next response
 * that contains an id reports it.
 */
export function createSessions(totals: UsageTotals) {
  let id: string | undefined;
  /** The agent has moved to a session whose id is not known yet. */
  let next: Way | undefined;
  let left = 0;
  let isUsed = false;
  /** Session paths that the client asked for, by request. */
  const paths = new Map<unknown, string>();

  function header(frame: Json): Signal[] | undefined {
    const [reported, parent] = [asText(frame.id), asText(frame.parentSession)];
    return reported ? enter(reported, omitUndefined({ forkedFrom: parent && idOf(parent) })) : undefined;
  }

  function asked(frame: Json): undefined {
    const path = asText(frame.sessionPath);
    if (path) paths.set(frame.id, path);
  }

  function answered(frame: Json): Signal[] {
    const data = asObject(frame.data) ?? {};
    if (frame.success !== true || data.cancelled === true) return [];
    const move = lookUp(moves, asText(frame.command) ?? "");
    if (move) {
      next = move(id);
      const path = paths.get(frame.id);
      return path === undefined ? [] : enter(idOf(path), next);
    }
    const reported = asText(data.sessionId);
    const isResumed = !isUsed && (asCount(data.messageCount) ?? 0) > 0;
    return reported ? enter(reported, next ?? (isResumed ? { resumed: true } : {})) : [];
  }

  /** A prompt begins. If the session's id is unknown, we assign one to distinguish the run. */
  function prompted(): Signal[] {
    isUsed = true;
    if (!next || id === undefined) return [];
    left += 1;
    return enter(`transient-${id}-${left}`, next);
  }

  function enter(entered: string, way: Way): Signal[] {
    // An id that we assigned is replaced by the real one.
    const isSame = id === undefined || (next === undefined && id.startsWith("transient-"));
    next = undefined;
    if (entered === id) return [];
    id = entered;
    if (!isSame) totals.reset();
    return [{ kind: "session", id, ...way }];
  }

  return { header, asked, answered, prompted };
}

const forked = (from: string | undefined): Way => omitUndefined({ forkedFrom: from });

/** Commands that move the agent to another session. */
const moves: Readonly<Record<string, (from: string | undefined) => Way>> = {
  ...{ fork: forked, clone: forked, branch: forked },
  ...{ new_session: () => ({}), switch_session: () => ({ resumed: true }) },
};

/** Session files are named by time and id. */
const idOf = (path: string): string => /_([^_/\\]+)\.jsonl$/.exec(path)?.[1] ?? path;
