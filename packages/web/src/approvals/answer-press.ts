/**
 * A press of a button or a key that answers an approval. It counts only while an answer is possible and what it answers has
 * been seen, and a key that is held down counts once. Returns whether it counted.
 */
export const answerPress =
  (act: () => void, isOpen: boolean, isSeen: () => boolean) =>
  (event?: { repeat?: boolean }): boolean => {
    if (!isOpen || event?.repeat || !isSeen()) return false;
    act();
    return true;
  };
