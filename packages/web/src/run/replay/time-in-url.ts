/** A time of the address, such as `?at=176000`, in milliseconds since the run's beginning. */
export function timeInUrl(name: "at" | "from" | "to"): number | undefined {
  const text = new URLSearchParams(location.search).get(name);
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/** Writes times into the address without a new entry in the history. Undefined removes one. */
export function putTimesInUrl(times: { readonly [Name in "at" | "from" | "to"]?: number | undefined }): void {
  const query = new URLSearchParams(location.search);
  for (const [name, time] of Object.entries(times)) {
    if (time === undefined) query.delete(name);
    else query.set(name, String(Math.round(time)));
  }
  const search = query.size > 0 ? `?${query}` : "";
  if (search !== location.search)
    history.replaceState(history.state, "", `${location.pathname}${search}${location.hash}`);
}
