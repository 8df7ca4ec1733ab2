import { Unavailable } from "@heddle/core/api/Errors"
import { InvalidClient, InvalidRequest, RateLimited, ServiceFailure } from "@heddle/core/OpenApiError"
import * as Schema from "effect/Schema"
import { header, responses } from "./Errors.ts"
import type { Json } from "./StrictSchema.ts"

/** The authorize page (contract 4.1). It is no JSON endpoint, so the contract does not hold it. */
export const authorize: Json = {
  get: {
    tags: ["token"],
    operationId: "token.authorize",
    summary: "Send the user here to allow the application",
    description:
      "A page for a browser. After sign-in and consent it sends the browser back to `redirect_uri` with `code` (10 minutes, one use) and `state`. Once that address is verified, errors come back there as `error`. A caller that does not accept `text/html` gets errors as JSON.",
    security: [],
    parameters: [
      query("response_type", true, { const: "code" }),
      query("client_id", true, {}),
      query(
        "redirect_uri",
        true,
        { format: "uri" },
        "One of the callback addresses of the application, character by character."
      ),
      query("scope", false, {}, "Scopes separated by spaces. By default all scopes of the application."),
      query("state", false, { maxLength: 2048 }, "Comes back unchanged. Verify it."),
      query("code_challenge", false, { pattern: "^[A-Za-z0-9_-]{43}$" }, "PKCE (RFC 7636)."),
      query("code_challenge_method", false, { const: "S256" }),
      query(
        "ui_locales",
        false,
        {},
        "Languages for the pages, the preferred one first. By default those of the browser."
      )
    ],
    responses: {
      "200": {
        description: "A page to sign in or to allow.",
        headers: { "x-request-id": header("RequestId") },
        content: { "text/html": { schema: { type: "string" } } }
      },
      "302": {
        description: "Back to the application, with `code` or `error`.",
        headers: { location: header("Location"), "x-request-id": header("RequestId") }
      },
      ...responses(Schema.Union(InvalidRequest, InvalidClient, RateLimited, ServiceFailure, Unavailable).ast, {
        enveloped: false
      })
    }
  }
}

function query(name: string, required: boolean, schema: Json, description?: string): Json {
  return {
    name,
    in: "query",
    required,
    ...(description === undefined ? {} : { description }),
    schema: { type: "string", ...schema }
  }
}
