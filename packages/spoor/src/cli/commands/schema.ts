import { type Command, Option } from "commander";
import type { SchemaOptions } from "../actions/schema.ts";
import type { Io } from "../io.ts";

export function registerSchema(program: Command, io: Io): void {
  program
    .command("schema")
    .summary("list the event types, or print the JSON Schema of one")
    .description(
      "Without a type, lists every event type. With one, prints its JSON Schema (2020-12): of a dotted type's payload, " +
        "of an AgentEvent, of the `envelope`, of an `event` (the envelope with its payload), or of any `agent-event`.",
    )
    .argument("[type]", "such as run.finished, text_delta or event")
    .option("--json", "print the list as JSON")
    .addOption(new Option("--shape <shape>", "list only types of this shape").choices(["envelope", "agent-event"]))
    .action(async (type: string | undefined, options: SchemaOptions) => {
      const { schema } = await import("../actions/schema.ts");
      schema(type, options, io);
    });
}
