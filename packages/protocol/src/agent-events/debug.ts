import { oneOf, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";

export const DebugEvent = agentEvent(
  "debug",
  "A note from the adapter. It also carries every native frame that the adapter does not map.",
  {
    level: oneOf(["verbose", "info", "warn"], "How important it is."),
    message: Text("The note, or the frame."),
  },
);
export type DebugEvent = Static<typeof DebugEvent>;

export const LogEvent = agentEvent("log", "A line of the agent's output that is not a frame.", {
  source: oneOf(["stdout", "stderr"], "Which stream it came from."),
  line: Text("The line."),
});
export type LogEvent = Static<typeof LogEvent>;
