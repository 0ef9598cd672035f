import { hub } from "../live/hub.ts";
import { usePageTitle } from "../ui/page-title.ts";
import type { Growth } from "./event-window.ts";
import styles from "./events.module.css";
import { EventsView } from "./events-view.tsx";

/** The raw stream of all runs, in the order of their commits. */
export default function AllEvents() {
  usePageTitle("Events");
  return <EventsView last={lastPosition} watch={watchAll} title={<h1 className={styles.title}>Events</h1>} />;
}

/** The position of the newest event. */
async function lastPosition(): Promise<number> {
  const answer = await fetch("/v1/events?from=now&limit=1", { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`The server answered with status ${answer.status}.`);
  return ((await answer.json()) as { next_after_sequence: number }).next_after_sequence;
}

/** New events are announced over the one connection of the page. Their bytes are read as pages. */
function watchAll(
  { granularity, types }: { granularity: "delta" | "block" | "turn"; types: readonly string[] },
  grown: (by: Growth) => void,
): () => void {
  const subscription = hub.follow(
    { all: true, from: "now", granularity, ...(types.length > 0 && { event_type: types }) },
    {
      events: ({ length }) => grown({ count: length, upTo: subscription.cursor }),
      resumed: (status) => status === "gap" && grown({ count: 0, upTo: Number.POSITIVE_INFINITY }),
    },
  );
  return () => subscription.close();
}
