import type { DiffLine } from "@spoor/protocol/write";
import type { Role } from "./style.ts";

/** The colours of the lines of a diff. */
export const diffRoles = {
  "#": "dim",
  "@": "cyan",
  "+": "green",
  "-": "red",
  " ": undefined,
} as const satisfies Readonly<Record<DiffLine["sign"], Role | undefined>>;
