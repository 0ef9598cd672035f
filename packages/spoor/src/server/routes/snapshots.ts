import { runSource } from "../feeds/event-source.ts";
import type { SnapshotFrame, Snapshots } from "../feeds/snapshots.ts";
import { openSseResponse } from "../feeds/sse-response.ts";
import { lastEventId } from "../feeds/stream-events.ts";
import { readers } from "../http/query-parameters.ts";
import type { Route, RouteCall } from "../http/route.ts";
import { findRun } from "./find-run.ts";
import type { RouteContext } from "./route-context.ts";

/** Streams the whole state of a run again after every change, at most ten times a second. */
export function snapshotRoutes(context: RouteContext): Route[] {
  // Folding a run needs all schemas, so this is loaded at the first request.
  let loading: Promise<Snapshots> | undefined;

  async function handle(call: RouteCall): Promise<void> {
    const after = lastEventId(call) ?? readers.cursor(call.query) ?? -1;
    loading ??= import("../feeds/snapshots.ts").then(({ createSnapshots }) => createSnapshots());
    const snapshots = await loading;
    const run = await findRun(context.log, call);
    const source = { ...runSource(context, run, undefined), run };
    if (source.finished && after >= 0 && after === source.last) {
      call.response.writeHead(204).end();
      return;
    }
    let newest: SnapshotFrame | undefined;
    let hasRoom = true;
    const send = () => {
      if (!newest || !hasRoom) return;
      hasRoom = stream.write(newest.bytes);
      if (newest.last) stream.end();
      newest = undefined;
    };
    const stream = openSseResponse(call, context.streams, {
      onDrain() {
        hasRoom = true;
        send();
      },
      onClose: () => stop(),
    });
    const stop = snapshots.watch(source, context.linger, (frame) => {
      // The reader has this frame already. A slow reader gets only the newest frame.
      if (frame.sequence === after && !frame.last) return;
      newest = frame;
      send();
    });
  }

  const route = {
    method: "GET",
    summary: "Watch the state of a run",
    description:
      "Sends `snapshot` frames while the run changes, then `done` (or `error`). Each holds the whole state: run, steps, artifacts, approvals and activity, with the `sequence` and `event_type` of the last event in it.",
    query: "SnapshotsQuery",
    headers: { "Last-Event-ID": "The sequence of the last snapshot received. It wins over after_sequence." },
    answers: {
      200: { description: "Server-sent events.", content: { "text/event-stream": undefined } },
      204: { description: "The run is finished and the cursor is at its end." },
    },
    handle,
  } as const satisfies Omit<Route, "path" | "operation">;
  return [
    { ...route, path: "/v1/tasks/{task_id}/runs/{run_id}/stream", operation: "watchTaskRun" },
    { ...route, path: "/v1/runs/{run_id}/stream", operation: "watchRun" },
  ];
}
