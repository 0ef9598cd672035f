import { readFileSync } from "node:fs";
import path from "node:path";
import type { WebhookAnswer, WebhookList, WebhookRecord, WebhookTestAnswer } from "@spoor/protocol/api";
import { dataDirectory } from "../../log/open.ts";
import type { RunningServer } from "../../server/serving/claim.ts";
import { ExitError } from "../exit-error.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { age, ago } from "../output/format.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { runningServer } from "./login.ts";

export interface WebhooksOptions extends DataOption {
  json?: true;
}

export interface EnableOptions extends WebhooksOptions {
  fromNow?: true;
}

/** Prints how far each receiver is. */
export async function listWebhooks(options: WebhooksOptions, io: Io): Promise<void> {
  const { receivers } = await openServer(options);
  if (options.json) for (const receiver of receivers) printJson(io.stdout, receiver);
  else io.stdout.write(receivers.map(described).join("\n") || `${NONE}\n`);
}

/** Sends a test event to one receiver, or to each of them. */
export async function testWebhooks(typed: string | undefined, options: WebhooksOptions, io: Io): Promise<void> {
  const { receivers, ask } = await openServer(options);
  const chosen = typed === undefined ? receivers : [findReceiver(receivers, typed)];
  if (chosen.length === 0) throw new ExitError(1, NONE);
  let failed = 0;
  for (const { webhook_id, url } of chosen) {
    const { data } = await ask<WebhookTestAnswer>("POST", `/v1/webhooks/${webhook_id}/test`);
    if (!data.delivered) failed += 1;
    if (options.json) printJson(io.stdout, { webhook_id, url, ...data });
    else io.stdout.write(`${webhook_id}  ${terminalSafe(`${url} ${data.detail}`)} (${data.duration_ms} ms)\n`);
  }
  if (failed > 0) throw new ExitError(1, `${plural(failed, "receiver")} did not take the test event.`);
}

/** Tries everything again that a receiver did not get. */
export async function enableWebhook(typed: string, options: EnableOptions, io: Io): Promise<void> {
  const { receivers, ask } = await openServer(options);
  const { webhook_id } = findReceiver(receivers, typed);
  const body = { from_now: options.fromNow === true };
  const { data } = await ask<WebhookAnswer>("POST", `/v1/webhooks/${webhook_id}/enable`, body);
  if (options.json) printJson(io.stdout, data);
  else io.stdout.write(described(data));
}

const NONE = "The server sends no webhooks. Start it with `spoor serve --webhook <url>`.";

function described(receiver: WebhookRecord): string {
  const { webhook_id, url, state, delivered, given_up, events_behind, runs_behind, last_delivered_at } = receiver;
  const last = last_delivered_at === undefined ? "" : `, the last one ${ago(Date.parse(last_delivered_at))}`;
  const lines = [
    `${webhook_id}  ${words[state]}  ${url}`,
    `  ${plural(delivered, "event")} delivered${last}`,
    ...(runs_behind > 0 ? [`  events of ${plural(runs_behind, "run")} wait to be sent`] : []),
    ...(events_behind > 0 ? [`  ${plural(events_behind, "event")} of the log still to look at`] : []),
    ...(given_up > 0 ? [`  ${plural(given_up, "event")} given up`] : []),
    ...(receiver.last_failure
      ? [`  last failure ${ago(Date.parse(receiver.last_failure.at))}: it ${receiver.last_failure.detail}`]
      : []),
    ...(receiver.next_attempt_at
      ? [`  next attempt in ${age(Date.parse(receiver.next_attempt_at) - Date.now())}`]
      : []),
    ...receiver.waiting_runs.map(
      ({ run_id, sequence, attempts, detail }) =>
        `  event ${sequence} of ${run_id} waits after ${plural(attempts, "attempt")}: it ${detail}`,
    ),
    `  the secret is in ${receiver.secret_place}`,
    ...(state === "disabled" ? [`  \`spoor webhooks enable ${webhook_id}\` lets it go on`] : []),
  ];
  return lines.map((line) => `${terminalSafe(line)}\n`).join("");
}

const words: Readonly<Record<WebhookRecord["state"], string>> = {
  delivering: "delivering",
  out_of_reach: "out of reach",
  disabled: "disabled",
};

function findReceiver(receivers: readonly WebhookRecord[], typed: string): WebhookRecord {
  const found = receivers.filter(({ webhook_id }) => webhook_id.startsWith(typed));
  const [first] = found;
  if (first && found.length === 1) return first;
  const known = receivers.map(({ webhook_id, url }) => `${webhook_id} (${url})`).join(", ") || "none";
  throw new ExitError(
    1,
    terminalSafe(`${found.length > 1 ? "Several receivers match" : "No receiver matches"} ${typed}. Known: ${known}.`),
  );
}

type Ask = <Answer>(method: "GET" | "POST", target: string, body?: object) => Promise<Answer>;

/** The server of the data directory, and its receivers. */
async function openServer({ data }: DataOption): Promise<{ receivers: readonly WebhookRecord[]; ask: Ask }> {
  const directory = path.resolve(data ?? dataDirectory());
  const server = await runningServer(directory);
  if (!server)
    throw new ExitError(
      1,
      `No server runs on ${terminalSafe(directory)}. Start one with \`spoor serve --webhook <url>\`.`,
    );
  const ask: Ask = (...request) => send(server, ...request);
  const { data: receivers } = await ask<WebhookList>("GET", "/v1/webhooks");
  return { receivers, ask };
}

async function send<Answer>(server: RunningServer, method: string, target: string, body?: object): Promise<Answer> {
  const token = readFileSync(server.token_file, "utf8").trim();
  const response = await fetch(server.url + target, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new ExitError(1, terminalSafe(`The server at ${server.url} did not answer: ${reason}. Try again.`));
  });
  const answer = (await response.json()) as Answer & { error?: { message: string; hint: string } };
  if (!response.ok) {
    const { message = `The server answered ${response.status}.`, hint = "" } = answer.error ?? {};
    throw new ExitError(1, terminalSafe(`${message} ${hint}`.trim()));
  }
  return answer;
}
