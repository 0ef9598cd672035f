import type { IncomingMessage } from "node:http";
import { HttpError } from "./errors.ts";
import { isLoopback } from "./hosts.ts";

export interface Guard {
  /** Throws when the request came under a name we do not go by, or from another page. */
  admit(request: IncomingMessage, options?: { navigable?: boolean }): void;
  /** Throws unless the request shows that our own page made it. What a cookie needs, since browsers send it unasked. */
  ownPage(request: IncomingMessage): void;
}

export function createGuard(hosts: ReadonlySet<string>, origins: ReadonlySet<string>): Guard {
  const isOwn = (origin: string) => origins.has(origin);

  return {
    admit(request, { navigable = false } = {}) {
      const { host, origin } = request.headers;
      if (request.headersDistinct.host?.length !== 1 || !hosts.has((host ?? "").toLowerCase())) {
        throw new HttpError("forbidden_host", "This server does not go by that name.");
      }
      if (origin !== undefined && !isOwn(origin)) {
        throw new HttpError("forbidden_origin", "Another page may not call this server.");
      }
      const site = request.headers["sec-fetch-site"];
      const isFollowedLink = navigable && request.headers["sec-fetch-mode"] === "navigate";
      if (site !== undefined && site !== "same-origin" && site !== "none" && !isFollowedLink) {
        throw new HttpError("forbidden_origin", "Another page may not call this server.");
      }
    },
    ownPage(request) {
      const { origin, referer, host = "" } = request.headers;
      const site = request.headers["sec-fetch-site"];
      const isRead = request.method === "GET" && request.headers.upgrade === undefined;
      if (origin !== undefined && isOwn(origin)) return;
      if (isRead && (site === "same-origin" || site === "none")) return;
      if (isRead && referer !== undefined && URL.canParse(referer) && isOwn(new URL(referer).origin)) return;
      // Browsers tell none of this to plain-http names beyond loopback; a read that arrives without changes nothing.
      if (isRead && site === undefined && origin === undefined && referer === undefined && !isLoopback(nameOf(host)))
        return;
      throw new HttpError("forbidden_origin", "A cookie counts only from the server's own page.");
    },
  };
}

const nameOf = (host: string): string => host.replace(/:\d+$/, "");

/** On every answer. Nothing of ours is to be framed, sniffed, cached or read by another site. */
export const securityHeaders = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
} as const;
