import { envelopeDefinition } from "../../../packages/protocol/src/envelope/catalog.ts";
import { provenance } from "../provenance.ts";
import { code, heading, originId, table, typeLink } from "./markdown.ts";

/** Shows where each field comes from, for payloads that the two source documents define differently. */
export function originsSection(): string {
  return [
    heading(2, "Where fields come from", "origins"),
    intro,
    ...Object.keys(provenance).flatMap((type) => [
      heading(3, code(type), originId(type)),
      `${typeLink(type)} describes the fields.`,
      table(["Field", "Protocol draft", "Events reference", "Ours", "Required"], rowsOf(type)),
    ]),
  ].join("\n\n");
}

const intro = `Two documents define these payloads: the draft of the v1 protocol, and the reference of emitted events. Where they differ, our
payload has the fields of both.`;

function rowsOf(type: string): string[][] {
  const { draft = [], reference = [], ours = [] } = provenance[type] ?? {};
  const { required = [] } = envelopeDefinition(type)?.data ?? {};
  const fields = [...new Set([...draft, ...reference, ...ours])];
  const mark = (names: readonly string[], name: string) => (names.includes(name) ? "✓" : "");
  return fields.map((name) => [
    code(name),
    mark(draft, name),
    mark(reference, name),
    mark(ours, name),
    required.includes(name) ? "yes" : "",
  ]);
}
