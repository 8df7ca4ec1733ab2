import { html, type Html } from "./Html.ts"

/** Isolates a user-chosen name from the text around it, because it may be written from right to left. */
export const of = (name: string): Html => html`<bdi>${name}</bdi>`

/** The same without markup, for a title. */
export const plain = (name: string): string => `\u2068${name}\u2069`
