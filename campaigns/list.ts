import type { Campaign } from "./campaign.ts";

/** Loads a campaign only when it runs, because each imports a different part of the product. */
export const campaigns: Readonly<Record<string, () => Promise<Campaign>>> = {
  kill: async () => (await import("./kill.ts")).campaign,
  corruption: async () => (await import("./corruption.ts")).campaign,
  secrets: async () => (await import("./secrets.ts")).campaign,
  cut: async () => (await import("./cut.ts")).campaign,
  crash: async () => (await import("./crash/index.ts")).campaign,
  "loop-crash": async () => (await import("./loop-crash/index.ts")).campaign,
  answers: async () => (await import("./answers/index.ts")).campaign,
  "hostile-agent": async () => (await import("./hostile-agent/index.ts")).hostileAgent,
};
