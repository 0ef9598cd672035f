import { hash } from "node:crypto";

/** Where webhooks are sent. */
export interface Receiver {
  /** Derived from the address without its credentials, so that it stays the same after a restart. */
  readonly id: string;
  readonly url: URL;
  /** The address as it may be printed: without credentials and without the query, which often holds a token. */
  readonly shownUrl: string;
}

/** Reads the address of a receiver. Throws a TypeError that says what is wrong with it and never repeats its credentials. */
export function receiverOf(text: string): Receiver {
  const url = URL.parse(text);
  if (!url) throw new TypeError("the address of a webhook must be a whole URL, such as https://example.com/hooks");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new TypeError(`the address of a webhook must begin with http:// or https://${wrongScheme(text, url)}`);
  url.hash = "";
  const named = new URL(url);
  named.username = "";
  named.password = "";
  const id = `wh_${hash("sha256", named.href).slice(0, 16)}`;
  const query = named.search === "" ? "" : "?…";
  const credentials = url.username === "" && url.password === "" ? "" : "…@";
  return { id, url, shownUrl: `${named.protocol}//${credentials}${named.host}${named.pathname}${query}` };
}

/** Without slashes, what looks like a scheme may be the name of a user. */
const wrongScheme = (text: string, { protocol }: URL): string => (text.includes("://") ? `, not with ${protocol}` : "");
