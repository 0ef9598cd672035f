import { VisibleText } from "../text/visible-text.tsx";
import type { KnownAgents } from "./use-agents.ts";

/** What stands in the place of the agents while they are not known. */
export function NoAgents({ failure, again }: KnownAgents) {
  if (failure === undefined)
    return (
      <p className="dim" aria-busy="true">
        Looking for agents …
      </p>
    );
  return (
    <p role="alert">
      The agents could not be read: <VisibleText text={failure} />{" "}
      <button type="button" className="btn small" onClick={again}>
        Try again
      </button>
    </p>
  );
}
