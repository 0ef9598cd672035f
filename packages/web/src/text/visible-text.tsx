import { joined } from "../ui/joined.ts";
import { breakable } from "./breakable.ts";
import { visibleParts } from "./visible.ts";

/** Text that an agent or a person wrote. Characters that cannot be shown stand as marked codes. */
export const VisibleText = ({ text }: { text: string }) =>
  joined(visibleParts(text), ({ text: part, isCode }) => (isCode ? <Hidden code={part} /> : <Breakable text={part} />));

/** Words that are longer than any screen may break at some places, so that the browser need not look for their end. */
function Breakable({ text }: { text: string }) {
  const pieces = breakable(text);
  if (pieces.length === 1) return text;
  return joined(pieces, (piece, at) => (
    <>
      {at > 0 && <wbr />}
      {piece}
    </>
  ));
}

const Hidden = ({ code }: { code: string }) => <mark className="hidden-code">{code}</mark>;
