import { visibleLine } from "./visible.ts";

/** The door through which a run was told something: " in a terminal (ann)". The log does not know persons. */
export function throughDoor(by: string | undefined): string {
  if (by === undefined || by === "") return "";
  const [door = "", user] = by.split(":", 2);
  const place = { http: "from the page or over HTTP", cli: "in a terminal", sdk: "by a program" }[door];
  return ` ${place ?? `by ${visibleLine(door)}`}${user ? ` (${visibleLine(user)})` : ""}`;
}
