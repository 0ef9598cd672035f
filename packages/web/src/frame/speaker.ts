/** Passes on at most one sentence in `everyMs`. While one waits, a newer one takes its place. */
export function createSpeaker(speak: (sentence: string) => void, everyMs = 3000) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting: string | undefined;

  function rest(): void {
    timer = setTimeout(() => {
      timer = undefined;
      if (waiting === undefined) return;
      const sentence = waiting;
      waiting = undefined;
      speak(sentence);
      rest();
    }, everyMs);
  }

  return {
    say(sentence: string): void {
      if (timer !== undefined) {
        waiting = sentence;
        return;
      }
      speak(sentence);
      rest();
    },
    close: () => clearTimeout(timer),
  };
}
