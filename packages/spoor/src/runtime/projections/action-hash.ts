import { createHash } from "node:crypto";

/** What an approval allows: exactly this, as it is stored. */
export interface ApprovedAction {
  tool: unknown;
  input: unknown;
  cwd: unknown;
  /** For agents that do not report the input: what they say they will do. */
  detail: unknown;
  diff?: unknown;
}

/** The SHA-256 of an action. The order of fields makes no difference. */
export const actionHash = (action: ApprovedAction): string =>
  createHash("sha256").update(canonicalJson(action)).digest("hex");

/** JSON with sorted keys and without undefined fields. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`).join(",")}}`;
}
