import type { Static } from "../schema.ts";
import { approvalDefinitions } from "./approval.ts";
import { artifactDefinitions } from "./artifact.ts";
import { assistantDefinitions } from "./assistant.ts";
import { costDefinitions } from "./cost.ts";
import type { Definition } from "./define.ts";
import type { Envelope } from "./envelope.ts";
import { errorDefinitions } from "./error.ts";
import { extensionDefinitions } from "./extension.ts";
import { flowDefinitions } from "./flow.ts";
import { gapDefinitions } from "./gap.ts";
import { policyDefinitions } from "./policy.ts";
import { runDefinitions } from "./run.ts";
import { sessionDefinitions } from "./session.ts";
import { toolDefinitions } from "./tool.ts";
import { fileDefinitions } from "./tool-file.ts";
import { searchDefinitions } from "./tool-search.ts";
import { shellDefinitions } from "./tool-shell.ts";
import { webDefinitions } from "./tool-web.ts";
import { turnDefinitions } from "./turn.ts";
import { userDefinitions } from "./user.ts";

/** Every dotted type, roughly in the order in which a run uses them. */
export const envelopeCatalog = [
  ...runDefinitions,
  ...sessionDefinitions,
  ...turnDefinitions,
  ...userDefinitions,
  ...assistantDefinitions,
  ...toolDefinitions,
  ...shellDefinitions,
  ...fileDefinitions,
  ...searchDefinitions,
  ...webDefinitions,
  ...approvalDefinitions,
  ...policyDefinitions,
  ...artifactDefinitions,
  ...extensionDefinitions,
  ...costDefinitions,
  ...errorDefinitions,
  ...flowDefinitions,
  ...gapDefinitions,
] as const;

type KnownDefinition = (typeof envelopeCatalog)[number];

/** The name of a dotted type in the catalog. */
export type EnvelopeType = KnownDefinition["type"];

/** The payload of a dotted type. */
export type EnvelopeData<T extends EnvelopeType> = Static<Extract<KnownDefinition, { type: T }>["data"]>;

/** An envelope of any type in the catalog. */
export type KnownEnvelope = { [T in EnvelopeType]: EnvelopeOf<T> }[EnvelopeType];
/** An envelope of one type in the catalog. */
export type EnvelopeOf<T extends EnvelopeType> = Omit<Envelope, "type" | "data"> & { type: T; data: EnvelopeData<T> };

const definitionByType = new Map<string, Definition>(
  envelopeCatalog.map((definition) => [definition.type, definition]),
);

/** Returns the definition of a dotted type, or undefined for an unknown type. */
export const envelopeDefinition = (type: string): Definition | undefined => definitionByType.get(type);

/** Whether a value is a dotted type of the catalog. */
export const isEnvelopeType = (type: unknown): type is EnvelopeType =>
  typeof type === "string" && definitionByType.has(type);
