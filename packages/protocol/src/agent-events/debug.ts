import { oneOf, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";

export const DebugEvent = agentEvent(
  "debug",
  "A word from the adapter; also carries every native frame it does not map.",
  {
    level: oneOf(["verbose", "info", "warn"], "How much it matters."),
    message: Text("The word, or the frame."),
  },
);
export type DebugEvent = Static<typeof DebugEvent>;

export const LogEvent = agentEvent("log", "A line of the agent's output that is no frame.", {
  source: oneOf(["stdout", "stderr"], "Which stream it came from."),
  line: Text("The line."),
});
export type LogEvent = Static<typeof LogEvent>;
