import { userInfo } from "node:os";

/** Who uses this process, for `by`: `cli:<user>`, `sdk:<user>`. */
export function principalOf(door: "cli" | "sdk"): string {
  try {
    return `${door}:${userInfo().username}`;
  } catch {
    // A container may run as a user that has no name.
    return door;
  }
}
