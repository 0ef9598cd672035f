import { cursorOf } from "../feeds/events-stream.ts";
import type { Frame, Screens } from "../feeds/snapshots.ts";
import { runSource } from "../feeds/source.ts";
import { openEventStream } from "../feeds/streams.ts";
import type { Call, Route } from "../http/route.ts";
import type { Parts } from "../parts.ts";
import { runOf } from "./lookup.ts";

/** A run's state for screens: whole, again and again, at most ten times a second. */
export function snapshotRoutes(parts: Parts): Route[] {
  // Folding a run takes the whole catalog, which most servers are never asked for.
  let loading: Promise<Screens> | undefined;

  async function handle(call: Call): Promise<void> {
    const after = cursorOf(call) ?? -1;
    loading ??= import("../feeds/snapshots.ts").then(({ createScreens }) => createScreens());
    const screens = await loading;
    const run = await runOf(parts.log, call);
    const source = { ...runSource(parts, run, undefined), run };
    if (source.finished && after >= 0 && after === source.last) {
      call.response.writeHead(204).end();
      return;
    }
    let newest: Frame | undefined;
    let hasRoom = true;
    const send = () => {
      if (!newest || !hasRoom) return;
      hasRoom = stream.write(newest.bytes);
      if (newest.last) stream.end();
      newest = undefined;
    };
    const stream = openEventStream(call, parts.streams, {
      onDrain() {
        hasRoom = true;
        send();
      },
      onClose: () => stop(),
    });
    const stop = screens.watch(source, parts.linger, (frame) => {
      // Who asked to go on from here has seen it. A reader that is slow gets the newest only.
      if (frame.sequence === after && !frame.last) return;
      newest = frame;
      send();
    });
  }

  const route = {
    method: "GET",
    summary: "A run's state for screens, live",
    description:
      "Frames `snapshot`, then `done` (or `error`): run, steps, artifacts, approvals and activity, with the `sequence` and `event_type` that led there.",
    query: "SnapshotsQuery",
    headers: { "Last-Event-ID": "Where a stream goes on; wins over after_sequence." },
    answers: {
      200: { description: "Server-sent events.", content: { "text/event-stream": undefined } },
      204: { description: "The run is finished, and the cursor stands at its end." },
    },
    handle,
  } as const satisfies Omit<Route, "path" | "operation">;
  return [
    { ...route, path: "/v1/tasks/{task_id}/runs/{run_id}/stream", operation: "watchTaskRun" },
    { ...route, path: "/v1/runs/{run_id}/stream", operation: "watchRun" },
  ];
}
