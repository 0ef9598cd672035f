import { ValidationError } from "../../../failures/errors.ts";
import type { Provider } from "../provider.ts";
import type { DemoScript } from "./script.ts";

/** The scripts, loaded when one is played. */
const scripts: Readonly<Record<string, () => Promise<DemoScript>>> = {
  tour: async () => (await import("./tour.ts")).tour,
  sprint: async () => (await import("./sprint.ts")).sprint,
};

/** Models that play a script, for people who have no key, and for tests: the loop and its tools are the real ones. */
export const demo: Provider = {
  name: "demo",
  title: "Demo",
  api: "demo",
  keys: [],
  addresses: [],
  // Nothing is charged. So that there is a cost to see, tokens count as those of a small model.
  prices: "anthropic",
  pricedAs: "claude-haiku-4-5",
  async load(id) {
    const load = scriptOf(id);
    const { createDemoModel } = await import("./model.ts");
    return createDemoModel(id, await load());
  },
  check: (id) => void scriptOf(id),
};

function scriptOf(id: string): () => Promise<DemoScript> {
  const load = Object.hasOwn(scripts, id) ? scripts[id] : undefined;
  if (load) return load;
  const known = Object.keys(scripts).map((name) => `demo/${name}`);
  const message = `There is no script demo/${id}. Known: ${known.join(", ")}.`;
  throw new ValidationError([{ field: "model", message }]);
}
