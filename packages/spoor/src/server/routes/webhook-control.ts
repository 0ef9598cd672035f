import type * as api from "@spoor/protocol/api";

/** What the server asks of whoever sends webhooks. An undefined answer means that there is no such receiver. */
export interface WebhookControl {
  list(): api.WebhookRecord[];
  test(webhook_id: string): Promise<api.WebhookTest | undefined>;
  enable(webhook_id: string, options: { fromNow: boolean }): api.WebhookRecord | undefined;
}
