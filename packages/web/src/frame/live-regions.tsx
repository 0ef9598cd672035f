import { useEffect, useState } from "react";
import { onAnnouncement } from "../ui/announce.ts";
import { createSpeaker } from "./speaker.ts";

/** The two places that screen readers read aloud: one when there is a pause, one at once. */
export function LiveRegions() {
  const [polite, setPolite] = useState("");
  const [assertive, setAssertive] = useState("");
  useEffect(() => {
    const speaker = createSpeaker(setPolite);
    const stops = [onAnnouncement("polite", speaker.say), onAnnouncement("assertive", setAssertive), speaker.close];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <div className="heard">
      <p role="status" aria-live="polite" data-region="polite">
        {polite}
      </p>
      <p role="alert" aria-live="assertive" data-region="assertive">
        {assertive}
      </p>
    </div>
  );
}
