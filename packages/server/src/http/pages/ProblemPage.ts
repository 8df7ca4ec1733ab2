import { html, type Html } from "./Html.ts"

/** Why a form was not taken, in words. */
export interface Reason {
  readonly title: string
  readonly text: string
  readonly advice: string
  readonly status: number
}

/** The reasons for which a form is not taken, whatever it asks. */
export const reasons = {
  foreign: {
    title: "This did not come from our page",
    text: "Another site sent this on your behalf, so nothing was done.",
    advice: "If you want to go on, start again from here.",
    status: 403
  },
  noCookie: {
    title: "A cookie is missing",
    text: "Your browser did not send the cookie that belongs to this page, so nothing was done.",
    advice: "Either the page was open for too long, or this browser keeps no cookies for this site: allow them.",
    status: 400
  },
  stale: {
    title: "This page has expired",
    text: "It belongs to an earlier visit, so nothing was done.",
    advice: "Perhaps it is open twice, or you have signed in or out in the meantime.",
    status: 400
  }
} as const satisfies Readonly<Record<string, Reason>>

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
