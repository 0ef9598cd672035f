import { SCHEMA_VERSION } from "../../packages/protocol/src/envelope/envelope.ts";
import { jsonSchemaFiles } from "../../packages/protocol/src/json-schema/schema-documents.ts";
import { fixtureFiles } from "../../packages/protocol/testing/fixtures.ts";
import { agentsPage } from "./docs/agents.ts";
import { contractPage } from "./docs/contract.ts";
import { eventsPage } from "./docs/page.ts";
import { proofsModule, usageReportsModule } from "./proofs.ts";
import { agentOptionsModule, runOptionsModule } from "./run-options.ts";

const schemas = `packages/protocol/schemas/v${SCHEMA_VERSION}`;
const fixtures = "packages/protocol/fixtures";

/** Folders with nothing but generated files; any other file in them is stale. */
export const generatedFolders = [schemas, fixtures];

/** Every generated file: its path in the repository and its contents. */
export function generatedFiles(): Map<string, string> {
  const files = new Map([
    ["docs/events.md", eventsPage()],
    ["docs/contract.md", contractPage()],
    ["docs/agents.md", agentsPage()],
    ["packages/spoor/src/inventory/dialect-proofs.gen.ts", proofsModule()],
    ["packages/spoor/src/inventory/usage-reports.gen.ts", usageReportsModule()],
    ["packages/spoor/src/options/run-options.gen.ts", runOptionsModule()],
    ["packages/spoor/src/agents/agent-options.gen.ts", agentOptionsModule()],
  ]);
  for (const [path, schema] of jsonSchemaFiles())
    files.set(`${schemas}/${path}`, `${JSON.stringify(schema, null, 2)}\n`);
  for (const [path, text] of fixtureFiles()) files.set(`${fixtures}/${path}`, text);
  return files;
}
