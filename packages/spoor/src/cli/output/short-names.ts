/** Names things by the end of their ids: the last characters, or more where two share them. */
export function shortNames(ids: readonly string[], least = 6): (id: string) => string {
  for (let length = least; ; length += 1) {
    const names = new Set(ids.map((id) => id.slice(-length)));
    if (names.size === new Set(ids).size || length > 40) return (id) => id.slice(-length);
  }
}
