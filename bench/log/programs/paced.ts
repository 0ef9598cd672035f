/** Sends events at a fixed rate. Overdue events are sent at once. The last event carries a note. */
export async function paced(
  seconds: number,
  perSecond: number,
  last: string,
  send: (note: string) => unknown,
): Promise<void> {
  const start = performance.now();
  const count = seconds * perSecond;
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, Math.ceil(((performance.now() - start) * perSecond) / 1_000));
    for (; sent < due; sent++) void send(sent === count - 1 ? last : "");
    await new Promise((resolve) => setTimeout(resolve, 0.5));
  }
}
