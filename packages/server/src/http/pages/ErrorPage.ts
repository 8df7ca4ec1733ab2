import { html, type Html } from "./Html.ts"

/** The texts and the status of an error page. */
export interface Reason {
  readonly title: string
  readonly text: string
  readonly advice: string
  readonly status: number
}

/** Says what went wrong and what to do; `link` leads to a way on. */
export const body = (page: {
  readonly title: string
  readonly text: string
  readonly advice: string
  readonly link?: { readonly href: string; readonly label: string }
}): Html =>
  html` <h1>${page.title}</h1>
    <p>${page.text}</p>
    <p class="soft">${page.advice}</p>
    ${
      page.link === undefined
        ? undefined
        : html`<div class="actions"><a class="button primary" href="${page.link.href}">${page.link.label}</a></div>`
    }`
