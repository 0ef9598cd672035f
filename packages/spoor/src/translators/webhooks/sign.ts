import { createHmac } from "node:crypto";

export const SECRET_PREFIX = "whsec_";

/** The headers of Standard Webhooks for a message: one signature per secret, so that a receiver may know either one. */
export function signedHeaders(
  message: { id: string; body: string },
  secrets: readonly string[],
  now: number,
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const timestamp = String(Math.floor(now / 1_000));
  const content = `${message.id}.${timestamp}.${message.body}`;
  const signature = (secret: string) =>
    createHmac("sha256", Buffer.from(secret.slice(SECRET_PREFIX.length), "base64"))
      .update(content)
      .digest("base64");
  return {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => `v1,${signature(secret)}`).join(" "),
  };
}
