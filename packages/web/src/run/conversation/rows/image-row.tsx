import type { ImageView } from "@spoor/protocol";
import { useEffect, useState } from "react";
import { VisibleText } from "../../../text/visible-text.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { imageType } from "./image-type.ts";
import styles from "./rows.module.css";

/** A picture that the agent made, at most 480 px high. A click shows it large. */
export function ImageRow({ image }: { image: ImageView }) {
  const { url, problem } = usePicture(image);
  const [isLarge, setLarge] = useState(false);
  const name = image.filePath?.split("/").at(-1) ?? "Picture";
  if (!url)
    return (
      <p className={styles.note}>
        <Icon name="file" small />
        <span>
          <VisibleText text={image.filePath ?? image.mime} /> · {problem ?? "loading…"}
        </span>
      </p>
    );
  return (
    <>
      <button
        type="button"
        className={styles.picture}
        onClick={() => setLarge(true)}
        aria-label="Show the picture large"
      >
        <img src={url} alt={name} />
      </button>
      {isLarge && (
        <Dialog title={name} form="wide" onClose={() => setLarge(false)}>
          <img className={styles.large} src={url} alt={name} />
        </Dialog>
      )}
    </>
  );
}

/** The picture as the address of a blob. What its first bytes do not show to be a picture is not shown. */
function usePicture({ base64, artifactId }: ImageView): { url?: string; problem?: string } {
  const [found, set] = useState<{ url?: string; problem?: string }>({});
  useEffect(() => {
    let url: string | undefined;
    let isGone = false;
    const load = async () => {
      const bytes = base64 !== undefined ? decode(base64) : await fetchBytes(artifactId);
      const type = bytes && imageType(bytes);
      if (isGone) return;
      if (!bytes) return set({ problem: "it was not stored" });
      if (!type) return set({ problem: "it is no png, jpeg, gif or webp, so it is not shown" });
      url = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type }));
      set({ url });
    };
    load().catch(() => !isGone && set({ problem: "it cannot be loaded" }));
    return () => {
      isGone = true;
      if (url) URL.revokeObjectURL(url);
    };
  }, [base64, artifactId]);
  return found;
}

const decode = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

async function fetchBytes(artifactId: string | undefined): Promise<Uint8Array | undefined> {
  if (artifactId === undefined) return undefined;
  const answer = await fetch(`/v1/artifacts/${encodeURIComponent(artifactId)}/raw`);
  return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : undefined;
}
