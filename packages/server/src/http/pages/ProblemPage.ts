import { html, type Html } from "./Html.ts"

/** Says what went wrong and what to do. */
export const body = (page: { readonly title: string; readonly text: string; readonly advice: string }): Html =>
  html` <h1>${page.title}</h1>
    <p>${page.text}</p>
    <p class="soft">${page.advice}</p>`
