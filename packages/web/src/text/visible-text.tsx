import { joined } from "../ui/joined.ts";
import { visibleParts } from "./visible.ts";

/** Text that an agent or a person wrote. Characters that cannot be shown stand as marked codes. */
export const VisibleText = ({ text }: { text: string }) =>
  joined(visibleParts(text), ({ text: part, isCode }) => (isCode ? <Hidden code={part} /> : part));

const Hidden = ({ code }: { code: string }) => <mark className="hidden-code">{code}</mark>;
