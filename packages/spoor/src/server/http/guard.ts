import type { IncomingMessage } from "node:http";
import { isLoopback } from "./allowed-hosts.ts";
import { HttpError } from "./http-error.ts";

export interface Guard {
  /** Throws when the `Host` header is not one of the server's names, or when another site's page sent the request. */
  admit(request: IncomingMessage, options?: { navigable?: boolean }): void;
  /** Throws unless the server's own page sent the request. Needed with cookies: browsers add them to any site's requests. */
  ownPage(request: IncomingMessage): void;
}

export function createGuard(hosts: ReadonlySet<string>, origins: ReadonlySet<string>): Guard {
  const isOwn = (origin: string) => origins.has(origin);

  return {
    admit(request, { navigable = false } = {}) {
      const { host, origin } = request.headers;
      if (request.headersDistinct.host?.length !== 1 || !hosts.has((host ?? "").toLowerCase())) {
        throw new HttpError(
          "forbidden_host",
          `The Host header ${JSON.stringify((host ?? "").slice(0, 100))} is not a name of this server.`,
        );
      }
      if (origin !== undefined && !isOwn(origin)) {
        throw new HttpError("forbidden_origin", "The request came from a page of another site.");
      }
      const site = request.headers["sec-fetch-site"];
      const isFollowedLink = navigable && request.headers["sec-fetch-mode"] === "navigate";
      if (site !== undefined && site !== "same-origin" && site !== "none" && !isFollowedLink) {
        throw new HttpError("forbidden_origin", "The request came from a page of another site.");
      }
    },
    ownPage(request) {
      const { origin, referer, host = "" } = request.headers;
      const site = request.headers["sec-fetch-site"];
      const isRead = request.method === "GET" && request.headers.upgrade === undefined;
      if (origin !== undefined && isOwn(origin)) return;
      if (isRead && (site === "same-origin" || site === "none")) return;
      if (isRead && referer !== undefined && URL.canParse(referer) && isOwn(new URL(referer).origin)) return;
      // Browsers send none of these headers to plain-http hosts other than loopback. Reads are allowed: they change nothing.
      if (isRead && site === undefined && origin === undefined && referer === undefined && !isLoopback(nameOf(host)))
        return;
      throw new HttpError(
        "forbidden_origin",
        "The login cookie is accepted only from the server's own page, and this request does not show that it came from there.",
      );
    },
  };
}

const nameOf = (host: string): string => host.replace(/:\d+$/, "");

/** Sent with every answer, so that other sites can neither frame, sniff, cache nor read it. */
export const securityHeaders = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
} as const;
