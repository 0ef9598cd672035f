/** The first line of a value, at most a hundred characters of it. */
export function brief(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const [first = ""] = text.split("\n", 1);
  return first.length > 100 ? `${first.slice(0, 100).toWellFormed()}…` : first;
}
