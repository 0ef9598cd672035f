/** A private copy of an item: it and its arrays may be changed in place. */
export type Editable<T> = {
  -readonly [Key in keyof T]: T[Key] extends readonly (infer Element)[] ? Element[] : T[Key];
};

type ArrayKey<T> = { [Key in keyof T]-?: T[Key] extends readonly unknown[] ? Key : never }[keyof T];

export interface List<T> {
  readonly length: number;
  at(index: number): T | undefined;
  /** Returns the index of the new item. */
  push(item: T): number;
  /** Returns the item at an existing index. It may be changed in place until the next snapshot. */
  edit(index: number): Editable<T>;
  dropFirst(count: number): void;
  /** Returns the current items. The returned array and its items never change again. */
  snapshot(): readonly T[];
}

/**
 * A copy-on-write list: the list, and each item with its `arrays`, is copied on the first change after a snapshot. So a
 * change costs the same however long the list is, and an unchanged item is the same object in every snapshot.
 */
export function createList<T extends object>(start: readonly T[] = [], arrays: readonly ArrayKey<T>[] = []): List<T> {
  let items = start as T[];
  let isShared = true;
  const own = new Set<number>();

  const ownItems = (): T[] => {
    if (isShared) {
      items = items.slice();
      isShared = false;
    }
    return items;
  };

  return {
    get length() {
      return items.length;
    },
    at: (index) => items[index],
    push(item) {
      const index = ownItems().push(item) - 1;
      own.add(index);
      return index;
    },
    edit(index) {
      if (!own.has(index)) {
        const item = { ...items[index] } as T;
        for (const name of arrays) item[name] = (item[name] as unknown[]).slice() as T[typeof name];
        ownItems()[index] = item;
        own.add(index);
      }
      return items[index] as Editable<T>;
    },
    dropFirst(count) {
      items = items.slice(count);
      isShared = false;
      own.clear();
    },
    snapshot() {
      isShared = true;
      own.clear();
      return items;
    },
  };
}
