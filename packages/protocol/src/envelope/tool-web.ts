import { Count, Flag, Key, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";

const tool_call_id = Key("The call.");

const response = {
  tool_call_id,
  status: optional(Type.Integer({ description: "HTTP status." })),
  duration_ms: optional(Count("Wall-clock time.")),
  body_artifact_id: optional(Key("The stored body.")),
  body_truncated: optional(Flag("Whether the body was truncated.")),
};
const request = {
  tool_call_id,
  method: Key("HTTP method."),
  url: Text("Address."),
  header_keys: optional(Type.Array(Type.String(), { description: "Names of headers, never values." })),
};

export const webDefinitions = [
  dotted("tool.http.requested", "experimental", "An HTTP request was sent.", request),
  dotted("tool.http.response", "experimental", "The HTTP response arrived.", response),
  dotted("tool.web_fetch.requested", "experimental", "A page was requested.", request),
  dotted("tool.web_fetch.response", "experimental", "The page arrived.", {
    ...response,
    extracted_text_artifact_id: optional(Key("The page's text.")),
  }),
  dotted("tool.web_search.requested", "experimental", "A web search was requested.", {
    tool_call_id,
    query: Text("The query."),
    method: optional(request.method),
    url: optional(request.url),
    header_keys: request.header_keys,
  }),
  dotted("tool.web_search.response", "experimental", "The search results arrived.", {
    ...response,
    hits: optional(
      Type.Array(
        Type.Object({ title: Text("Title."), url: Text("Address."), snippet: optional(Text("An excerpt.")) }),
        { description: "The hits." },
      ),
    ),
  }),
] as const;
