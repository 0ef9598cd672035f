import type { Pace } from "../../src/translators/webhooks/pace.ts";

/** The secret of deliveries in tests. */
export const TEST_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** Waits of milliseconds, so that a test sees many attempts. */
export const quickPace: Partial<Pace & { timeout: number }> = {
  refused: { first: 5, longest: 20 },
  outOfReach: { first: 5, longest: 20 },
  timeout: 10_000,
};
