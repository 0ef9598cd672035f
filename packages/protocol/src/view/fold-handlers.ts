import type { EnvelopeType } from "../envelope/catalog.ts";
import { approvals } from "./fold-approvals.ts";
import { conversation } from "./fold-conversation.ts";
import { cost } from "./fold-cost.ts";
import { errors } from "./fold-errors.ts";
import { extensions } from "./fold-extensions.ts";
import { files } from "./fold-files.ts";
import { lifecycle } from "./fold-lifecycle.ts";
import { notes } from "./fold-notes.ts";
import { shells } from "./fold-shells.ts";
import { tools } from "./fold-tools.ts";
import { turns } from "./fold-turns.ts";
import type { Handlers } from "./payload-fields.ts";

/** How each type of the catalog changes the view. The compiler reports a type without a handler. */
export const handlers: Required<Handlers> = {
  ...lifecycle,
  ...turns,
  ...conversation,
  ...tools,
  ...shells,
  ...files,
  ...approvals,
  ...extensions,
  ...cost,
  ...errors,
  ...notes,
};

/** The dotted types of the catalog, without their schemas, for pages and programs that must start fast. */
export const envelopeTypes = Object.keys(handlers) as readonly EnvelopeType[];
