import { useCopy } from "../ui/copy.tsx";
import { Icon } from "../ui/icon.tsx";

/** Copies the address of this screen. */
export function CopyLink() {
  const { told, copy } = useCopy();
  return (
    <button type="button" className="btn no-phone" onClick={() => void copy(location.href)}>
      <Icon name={told === "Copied" ? "tick" : "link"} small />
      {told ?? "Copy link"}
    </button>
  );
}
