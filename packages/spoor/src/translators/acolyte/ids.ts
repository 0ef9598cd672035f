import { createUlidSource } from "@spoor/protocol/ids";

/**
 * Acolyte's ids are a prefix and lower-case letters and digits. Ours are a prefix and a ULID, which means the same in lower
 * case. A task of Acolyte is one request, which is a run here; a session of Acolyte is a conversation, which is a task here.
 */
export const newUlid = createUlidSource();

export const taskIdOf = (ulid: string): string => `task_${ulid.toLowerCase()}`;
export const sessionIdOf = (ulid: string): string => `sess_${ulid.toLowerCase()}`;
export const newErrorId = (): string => `err_${newUlid().toLowerCase()}`;

/** The ULID in an id; undefined if the id was made by a client. */
export const ulidIn = (id: string): string | undefined =>
  /^[a-z]+_([0-7][0-9a-hjkmnp-tv-z]{25})$/i.exec(id)?.[1]?.toUpperCase();
