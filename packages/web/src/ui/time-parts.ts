import type { TimePart } from "@spoor/protocol";

/** What the time of a run is spent on, in words, and in the order in which every picture shows it. */
export const timeNames: Readonly<Record<TimePart, string>> = {
  model: "Model",
  tool: "Tools",
  waiting: "Waiting",
  retrying: "Retrying",
  idle: "Idle",
};

export const timeOrder = Object.keys(timeNames) as readonly TimePart[];

/** The class that fills a stretch of time, by what the time was spent on. */
export const timeFills: Readonly<Record<TimePart, string>> = {
  model: "m-model",
  tool: "m-tool",
  waiting: "m-wait",
  retrying: "m-retry",
  idle: "m-idle",
};
