import { createDriver } from "../dialects/claude-stream-json/driver.ts";
import type { LiveWire } from "../machine.ts";

/** Prompts go in over its standard input; it takes nothing else there. */
export const ampLive: LiveWire = {
  command: "amp",
  takes: ["resume"],
  unasked: "Amp asks nothing when it is run so: its own rules, `amp.permissions`, say what it may do.",
  launch: ({ resume, approve }) => ({
    args: [
      ...(resume === undefined ? [] : ["threads", "continue", resume]),
      ...["--execute", "--stream-json", "--stream-json-input"],
      ...(approve === "auto" ? ["--dangerously-allow-all"] : []),
    ],
    allow: ["AMP_*"],
    stdin: "pipe",
  }),
  createDriver(request) {
    const { open, follow, endsWithInput } = createDriver(request);
    return { open, endsWithInput, ...(follow && { follow }) };
  },
};
