import { ConversationRow } from "../run/conversation/conversation-row.tsx";
import type { Row } from "../run/conversation/row-types.ts";
import trail from "../run/conversation/trail.module.css";

/** A row of the conversation. Links of the file lead to its first event. */
export const DocumentRow = ({ row }: { row: Row }) => (
  <li
    id={row.kind === "cards" || row.kind === "end" ? undefined : `e${row.sequence}`}
    data-kind={row.kind}
    className={`${trail.row} ${row.kind === "turn" ? trail.turn : ""}`}
  >
    {row.mark !== "none" && <span className={`${trail.mark} ${trail[row.mark] ?? ""}`} aria-hidden="true" />}
    <ConversationRow row={row} takesKeys={false} />
  </li>
);
