import { createElement, Fragment, type ReactElement, type ReactNode } from "react";

/** Draws items in a fixed order. They need no keys, because none of them is ever moved. */
export const joined = <Item>(items: readonly Item[], draw: (item: Item, index: number) => ReactNode): ReactElement =>
  createElement(Fragment, null, ...items.map(draw));
