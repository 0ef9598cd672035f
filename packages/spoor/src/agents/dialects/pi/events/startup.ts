import { skillLoaded } from "../../../facts.ts";
import { asObject, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";

/** The system message is the only sign of the instructions and skills that were read at the start. */
export function startupFacts(message: Json): Signal[] {
  const text = Object.values(asObject(message.sections) ?? {})
    .map((section) => asText(section) ?? "")
    .join("\n");
  const documents = [...text.matchAll(/<project_instructions path="([^"]+)"/g)].map(
    ([, path = ""]): Signal => ({ kind: "startup", fact: { type: "agentdoc_read", path } }),
  );
  const skills = [...text.matchAll(/<skill>\s*<name>([^<]+)<\/name>.*?<location>([^<]*)</gs)].map(
    ([, name = "", location = ""]) => skillLoaded(name, location),
  );
  return [...documents, ...skills];
}
