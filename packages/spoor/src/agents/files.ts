import { asText } from "./json-machine.ts";
import type { FileFact } from "./signal.ts";

export const byteCount = (text: unknown): number => new TextEncoder().encode(asText(text) ?? "").length;

export const created = (path: string, text: unknown): FileFact => ({ op: "create", path, byteCount: byteCount(text) });

/** A file that was moved and changed. */
export const moved = (from: string, to: string, diff: string): FileFact[] => [
  { op: "patch", path: to, diff },
  { op: "delete", path: from },
];
