import type { Envelope, RunView } from "@spoor/protocol";
import { viewOf } from "@spoor/protocol";
import { beforeAll, expect, it } from "vitest";
import { createRowBuilder } from "../src/run/conversation/build-rows.ts";
import { openPlace, type Place } from "./harness.ts";
import { goldenRecordings, recordGolden } from "./runs/recorded.ts";
import { settled } from "./settled.ts";

const recordings = goldenRecordings();
let place: Place;
let runs: Map<string, string>;

beforeAll(async () => {
  place = await openPlace();
  runs = await recordGolden(place.data, recordings);
}, 120_000);

it("every golden recording of every agent is shown whole in its conversation", { timeout: 300_000 }, async () => {
  expect(recordings.length).toBeGreaterThan(400);
  const half = Math.ceil(recordings.length / 2);
  const found = await Promise.all([look(recordings.slice(0, half)), look(recordings.slice(half))]);
  expect(found.flatMap(({ problems }) => problems)).toEqual([]);
  // Long conversations mount only what is in view.
  expect(found.reduce((sum, { whole }) => sum + whole, 0)).toBeGreaterThan(recordings.length / 2);
});

/** Opens runs one after the other in one page, as somebody who clicks through them does. */
async function look(names: readonly string[]): Promise<{ problems: string[]; whole: number }> {
  const { page, faults } = await place.open("/");
  await settled(page);
  const problems: string[] = [];
  let whole = 0;
  for (const name of names) {
    const id = runs.get(name) ?? "";
    const [seen, view] = await Promise.all([page.evaluate(openRun, `/runs/${id}`), storedView(id)]);
    if (seen.shown.length === seen.rows) whole += 1;
    problems.push(...[...differences(seen, view), ...faults.splice(0)].map((fault) => `${name}: ${fault}`));
  }
  return { problems, whole };
}

it("changes, timeline and events open without an error for recordings of every agent", {
  timeout: 120_000,
}, async () => {
  const { page, faults } = await place.open("/");
  await settled(page);
  const agents = Object.values(Object.groupBy(recordings, (name) => name.split("/", 1)[0] ?? ""));
  // The first of each agent, and every ninth of all.
  const sample = new Set([...agents.map((own) => own?.[0] ?? ""), ...recordings.filter((_, index) => index % 9 === 0)]);
  const found: string[] = [];
  for (const name of sample)
    for (const view of ["changes", "timeline", "events"]) {
      const { text } = await page.evaluate(openRun, `/runs/${runs.get(name)}/${view}`);
      if (text === "" || /This screen failed|There is no run/.test(text)) faults.push(text.slice(0, 200));
      found.push(...faults.splice(0).map((fault) => `${name} ${view}: ${fault}`));
    }
  expect(found).toEqual([]);
});

interface Seen {
  text: string;
  /** How many rows the conversation has. */
  rows: number;
  /** The rows that are mounted. */
  shown: { key: string; text: string; cards: number }[];
}

/** Runs in the browser: opens an address as a link does, waits until it is shown, and returns what is seen. */
async function openRun(target: string): Promise<Seen> {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  history.pushState(null, "", target);
  dispatchEvent(new PopStateEvent("popstate"));
  await frame();
  for (const end = Date.now() + 60_000; document.querySelector('[aria-busy="true"]'); await frame()) {
    if (Date.now() > end) throw new Error(`${target} is still loading after a minute.`);
  }
  await frame();
  const rows = [...document.querySelectorAll("ol[aria-label=Conversation] > li")];
  return {
    text: document.querySelector("main")?.textContent ?? "",
    rows: Number(rows[0]?.getAttribute("aria-setsize") ?? 0),
    shown: rows.map((row) => ({
      key: row.getAttribute("data-row") ?? "",
      text: row.textContent,
      cards: row.querySelectorAll("[data-stop]").length,
    })),
  };
}

/** The view of everything that is stored of a run. The page reads less of a run that is over. */
async function storedView(id: string): Promise<RunView> {
  const envelopes: Envelope[] = [];
  for await (const { data } of place.client.events.list(id)) envelopes.push(...data);
  return viewOf(envelopes);
}

/** What the page shows otherwise than it is stored: the number of rows and of cards, the words of messages. */
function differences({ rows, shown }: Seen, view: RunView): string[] {
  const expected = createRowBuilder()(view);
  if (rows !== expected.length) return [`${rows} rows are shown instead of ${expected.length}`];
  return shown.flatMap(({ key, text, cards }) => {
    const row = expected.find((stored) => stored.key === key);
    if (!row) return [`${key} is shown, but not stored`];
    if (row.kind === "cards" && cards !== row.cards.length) return [`${key} has ${cards} of ${row.cards.length} cards`];
    const missing = row.kind === "text" ? wordsOf(row.message.text).filter((word) => !text.includes(word)) : [];
    return missing.length === 0 ? [] : [`${key} is shown without ${missing.slice(0, 5).join(", ")}`];
  });
}

/** The words of a text, without those of addresses, which Markdown shows in its own way. */
const wordsOf = (text: string): string[] =>
  text.replaceAll(/\S*:\/\/\S*/g, " ").match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]{3,}(?![\p{L}\p{N}])/gu) ?? [];
