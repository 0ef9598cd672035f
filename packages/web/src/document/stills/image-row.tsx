import type { ImageView } from "@spoor/protocol";
import { imageType } from "../../run/conversation/rows/image-type.ts";
import styles from "../../run/conversation/rows/rows.module.css";
import { VisibleText } from "../../text/visible-text.tsx";
import { Icon } from "../../ui/icon.tsx";

/** A picture that the agent made, if its first bytes show that it is one. */
export function ImageRow({ image: { base64, filePath, mime } }: { image: ImageView }) {
  const type = base64 === undefined ? undefined : typeOf(base64);
  const name = filePath?.split("/").at(-1) ?? "Picture";
  if (type)
    return (
      <div className={`${styles.picture} still`}>
        <img src={`data:${type};base64,${base64}`} alt={name} />
      </div>
    );
  return (
    <p className={styles.note}>
      <Icon name="file" small />
      <span>
        <VisibleText text={filePath ?? mime} /> ·{" "}
        {base64 === undefined ? "it is not in this file" : "it is no png, jpeg, gif or webp, so it is not shown"}
      </span>
    </p>
  );
}

/** Only letters of base64 come into the address. */
function typeOf(base64: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  return imageType(Uint8Array.from(atob(base64.slice(0, 64)), (character) => character.charCodeAt(0)));
}
