import { HttpError, type HttpErrorCode } from "./http-error.ts";
import { readers } from "./query-parameters.ts";
import type { RouteCall } from "./route.ts";

interface Named {
  readonly name: string;
}

/**
 * Returns the language that a request asks for with `as`. A translation is a stream of all events, so a request that also
 * wants chosen types, a list or NDJSON is refused.
 */
export function languageOf<Language extends Named>({ query, request }: RouteCall, languages: readonly Language[]) {
  if (query.has("as") && languages.length === 0) throw languageRefusal(languages);
  const language = readers.language(query, languages);
  if (!language) return undefined;
  if (readers.types(query) !== undefined) {
    const message = "as and event_type contradict each other: a translation needs all events. Send only one of them.";
    throw new HttpError("invalid_parameter", message);
  }
  if (!acceptsStream(request.headers.accept)) {
    const message = `as=${language.name} is a stream of server-sent events, and the Accept header wants something else. Send \`Accept: text/event-stream\`, or leave as out.`;
    throw new HttpError("invalid_parameter", message);
  }
  return language;
}

const acceptsStream = (accept = "*/*"): boolean => /text\/event-stream|text\/\*|\*\/\*/i.test(accept);

/** The error for `as` where nothing is translated. */
export function languageRefusal(languages: readonly Named[], code: HttpErrorCode = "invalid_parameter"): HttpError {
  const where = "only the stream of one run can be translated, GET /v1/runs/{run_id}/events";
  const names = languages.map(({ name }) => name).join(", ");
  return new HttpError(
    code,
    names === ""
      ? "as is not possible: this server has no other languages."
      : `as is not possible here: ${where}. There as is one of ${names}.`,
  );
}
