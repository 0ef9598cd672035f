import type * as api from "@spoor/protocol/api";
import { HttpError } from "../http/http-error.ts";
import { readOptionalJson } from "../http/json-body.ts";
import { sendJson } from "../http/respond.ts";
import type { Route } from "../http/route.ts";
import { flag, readFields } from "./read-fields.ts";
import type { RouteContext } from "./route-context.ts";

/** The receivers of webhooks: how far they are, a test, and another chance. */
export function webhookRoutes({ webhooks }: RouteContext): Route[] {
  const found = <Value>(value: Value | undefined, webhook_id = ""): Value => {
    if (value !== undefined) return value;
    throw new HttpError("webhook_not_found", `This server sends no webhooks to ${webhook_id}.`);
  };
  return [
    {
      method: "GET",
      path: "/v1/webhooks",
      operation: "listWebhooks",
      summary: "List the receivers of webhooks",
      description: "They are chosen when the server starts, with `spoor serve --webhook`.",
      answers: { 200: { description: "All receivers.", content: { "application/json": "WebhookList" } } },
      handle({ response }) {
        const answer: api.WebhookList = { object: "list", data: webhooks()?.list() ?? [], has_more: false };
        sendJson(response, 200, answer);
      },
    },
    {
      method: "POST",
      path: "/v1/webhooks/{webhook_id}/test",
      operation: "testWebhook",
      summary: "Send a test event to a receiver",
      description: "Sends one event of the type `dev.spoor.webhook.test.v1` at once, and does not try again.",
      answers: {
        200: { description: "What came of it.", content: { "application/json": "WebhookTestAnswer" } },
      },
      async handle({ request, response, path: { webhook_id = "" } }) {
        await readOptionalJson(request);
        const data = found(await webhooks()?.test(webhook_id), webhook_id);
        const answer: api.WebhookTestAnswer = { object: "webhook_test", data };
        sendJson(response, 200, answer);
      },
    },
    {
      method: "POST",
      path: "/v1/webhooks/{webhook_id}/enable",
      operation: "enableWebhook",
      summary: "Try a receiver again now",
      description: "Enables a receiver that answered 410 Gone, and ends all waits.",
      body: "EnableWebhookRequest",
      bodyOptional: true,
      answers: { 200: { description: "The receiver.", content: { "application/json": "WebhookAnswer" } } },
      async handle({ request, response, path: { webhook_id = "" } }) {
        const { from_now: fromNow = false } = readFields(await readOptionalJson(request), {
          optional: { from_now: flag },
        });
        const data = found(webhooks()?.enable(webhook_id, { fromNow }), webhook_id);
        const answer: api.WebhookAnswer = { object: "webhook", data };
        sendJson(response, 200, answer);
      },
    },
  ];
}
