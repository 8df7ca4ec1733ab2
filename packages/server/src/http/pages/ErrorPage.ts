import { html, type Html } from "./Html.ts"

/** Why a form was not taken, in words. */
export interface Reason {
  readonly title: string
  readonly text: string
  readonly advice: string
  readonly status: number
}

/** Says what went wrong and what to do; `way` is where to go on, if that is known. */
export const body = (page: {
  readonly title: string
  readonly text: string
  readonly advice: string
  readonly way?: { readonly href: string; readonly label: string }
}): Html =>
  html` <h1>${page.title}</h1>
    <p>${page.text}</p>
    <p class="soft">${page.advice}</p>
    ${
      page.way === undefined
        ? undefined
        : html`<div class="actions"><a class="button primary" href="${page.way.href}">${page.way.label}</a></div>`
    }`
