import { ClientFormError, Unavailable } from "@heddle/core/api/Errors"
import { InvalidClient, InvalidRequest, RateLimited, ServiceFailure } from "@heddle/core/OpenApiError"
import * as Schema from "effect/Schema"
import { header, htmlPage, responses } from "./Errors.ts"
import type { Json } from "./StrictSchema.ts"

interface Parameter {
  readonly name: string
  readonly required?: true
  readonly schema?: Json
  readonly description?: string
}

const parameters: ReadonlyArray<Parameter> = [
  { name: "response_type", required: true, schema: { const: "code" } },
  { name: "client_id", required: true },
  {
    name: "redirect_uri",
    required: true,
    schema: { format: "uri" },
    description: "One of the callback addresses of the application, character by character."
  },
  { name: "scope", description: "Scopes separated by spaces. By default all scopes of the application." },
  { name: "state", schema: { maxLength: 2048 }, description: "Comes back unchanged. Verify it." },
  { name: "code_challenge", schema: { pattern: "^[A-Za-z0-9_-]{43}$" }, description: "PKCE (RFC 7636)." },
  { name: "code_challenge_method", schema: { const: "S256" } },
  {
    name: "ui_locales",
    description: "Languages for the pages, the preferred one first. By default those of the browser."
  }
]

const redirect = (description: string): Json => ({
  description,
  headers: { location: header("Location"), "x-request-id": header("RequestId") }
})

const failures = Schema.Union(RateLimited, ServiceFailure, Unavailable)
const shared = { tags: ["token"], security: [] }

/** The authorize page (contract 4.1). It is no JSON endpoint, so the contract does not hold it. */
export const authorize: Json = {
  get: {
    ...shared,
    operationId: "token.authorize",
    summary: "Send the user here to allow the application",
    description:
      "A page for a browser. After sign-in and consent it sends the browser back to `redirect_uri` with `code` (10 minutes, one use) and `state`. Once that address is verified, errors come back there as `error`. A caller that does not accept `text/html` gets errors as JSON.",
    parameters: parameters.map(({ required = false, schema, ...parameter }) => ({
      ...parameter,
      in: "query",
      required,
      schema: { type: "string", ...schema }
    })),
    responses: {
      "200": {
        description: "A page to sign in or to allow.",
        headers: { "x-request-id": header("RequestId") },
        content: htmlPage
      },
      "302": redirect("Back to the application, with `code` or `error`."),
      ...responses(Schema.Union(InvalidRequest, InvalidClient, failures).ast, { enveloped: false, page: true })
    }
  },
  post: {
    ...shared,
    operationId: "token.authorizeByForm",
    summary: "The same, with the parameters in a form",
    description: "Sends the browser to the page by `GET`. The forms of the page itself come here, too.",
    parameters: [],
    requestBody: {
      required: true,
      content: {
        "application/x-www-form-urlencoded": {
          schema: {
            type: "object",
            required: parameters.filter(({ required }) => required).map(({ name }) => name),
            properties: Object.fromEntries(
              parameters.map(({ description, name, schema }) => [
                name,
                { type: "string", ...schema, ...(description === undefined ? {} : { description }) }
              ])
            )
          }
        }
      }
    },
    responses: {
      "302": redirect("Back to the application, with `error`."),
      "303": redirect("To the page."),
      ...responses(Schema.Union(ClientFormError, failures).ast, { enveloped: false, page: true })
    }
  }
}
