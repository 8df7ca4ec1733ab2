import { html, type Html } from "./Html.ts"

/** A name that somebody chose, kept apart from the text around it: it may be written from right to left. */
export const of = (name: string): Html => html`<bdi>${name}</bdi>`

/** The same where there can be no markup, as in a title. */
export const plain = (name: string): string => `\u2068${name}\u2069`
