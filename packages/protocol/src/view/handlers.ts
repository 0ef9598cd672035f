import { approvals } from "./approvals.ts";
import { conversation } from "./conversation.ts";
import { cost } from "./cost.ts";
import { extensions } from "./extensions.ts";
import { files } from "./file-changes.ts";
import { lifecycle } from "./lifecycle.ts";
import { notes } from "./notes.ts";
import type { Handlers } from "./read.ts";
import { shells } from "./shells.ts";
import { tools } from "./tools.ts";
import { trouble } from "./trouble.ts";
import { turns } from "./turns.ts";

/** What each type of the catalog does to the view. The compiler refuses a catalog with a type that is missing here. */
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
  ...trouble,
  ...notes,
};
