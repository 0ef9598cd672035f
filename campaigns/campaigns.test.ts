import { expect, it } from "vitest";
import { campaigns } from "./list.ts";

const seed = Number(process.env.SEED ?? 1);

it.each(Object.keys(campaigns))(
  "the %s campaign breaks no promise at its small size",
  { timeout: 300_000 },
  async (name) => {
    const campaign = await campaigns[name]?.();
    expect(campaign?.name).toBe(name);
    const result = await campaign?.run({ cases: campaign.cases.small, seed });
    console.log(`${name}: ${JSON.stringify(result?.counts)}`);
    expect(result?.failures).toEqual([]);
    for (const count of Object.values(result?.counts ?? {})) expect(Number.isFinite(count)).toBe(true);
  },
);

it("at least one campaign exists", () => expect(Object.keys(campaigns)).not.toEqual([]));
