import { LogError } from "../../log/errors.ts";
import type { LogDraft, RunAppend } from "../../log/log.ts";

/** The drafts that decide an approval, by the approval's id. Somebody in another process may decide it first. */
export type Settling = ReadonlyMap<string, readonly LogDraft[]>;

/**
 * Leaves out what another process did first: the end of a command, or the decision about an approval together with its
 * event. Returns undefined if the log refused the batch for any other reason.
 */
export function dropSuperseded(
  batch: readonly RunAppend[],
  settling: Settling,
  error: unknown,
): readonly RunAppend[] | undefined {
  if (!(error instanceof LogError) || error.code !== "conflict") return undefined;
  const { table, row } = error;
  const key = table === "commands" ? row?.command_id : table === "approvals" ? row?.approval_id : undefined;
  const isSuperseded = (effect: NonNullable<RunAppend["effects"]>[number]): boolean =>
    effect.do === "update" && effect.table === table && effect.key === key;
  if (typeof key !== "string" || !batch.some(({ effects }) => effects?.some(isSuperseded))) return undefined;
  const drafts = table === "approvals" ? settling.get(key) : [];
  if (!drafts) return undefined;
  const dropped = new Set(drafts);
  return batch.map((append) => ({
    ...append,
    drafts: append.drafts.filter((draft) => !dropped.has(draft)),
    ...(append.effects && { effects: append.effects.filter((effect) => !isSuperseded(effect)) }),
  }));
}
