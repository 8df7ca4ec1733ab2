import * as Record from "effect/Record"

const choice = <const V extends readonly [string, ...ReadonlyArray<string>]>(
  decision: number,
  values: V,
  description: string
) => ({ decision, values, description })

/**
 * The choices that the contract leaves open. The names are those of the decision table (`decision` is the row), and
 * each is a flag of `serve` and an option of `Server.start`. The first value is the default.
 */
export const choices = {
  refreshTokenOnRefresh: choice(
    28,
    ["omit", "same", "rotate"],
    "Whether a refresh answers without a refresh token, with the same, or with a new one"
  ),
  metadata: choice(50, ["on", "off"], "Whether /.well-known/oauth-authorization-server describes this service"),
  loopbackPort: choice(
    40,
    ["exact", "any"],
    "Whether the port of a redirect URI to a loopback address has to be the registered one"
  ),
  oauthStatuses: choice(
    10,
    ["document", "rfc"],
    "Whether a device is refused with the document's 401 and 403, or with 400 as in the RFCs"
  ),
  errorShape: choice(
    4,
    ["superset", "oauth", "envelope"],
    "The body of an error: every known field, OAuth's only, or the envelope's only"
  ),
  permissionResponse: choice(
    60,
    ["reject", "accept"],
    "Whether applications may answer what the local assistant asks its user"
  ),
  offline: choice(63, ["reject", "queue"], "What becomes of a message while the local assistant is offline"),
  order: choice(
    68,
    ["newest_page", "newest_first", "oldest_first"],
    "The local assistant's message pages: the newest page with its oldest message first, or in one order throughout"
  ),
  statusCase: choice(
    73,
    ["document", "lower"],
    "Whether the status CREATING is written in capitals as in the document"
  ),
  listScope: choice(
    84,
    ["application", "user"],
    "Whose tasks an application sees: those that it made for this user, or all of the user"
  ),
  duplicateRedemption: choice(
    88,
    ["replay", "conflict"],
    "How a repeated redemption request is answered: with its first answer, or 409"
  ),
  codeCase: choice(
    92,
    ["insensitive", "sensitive"],
    "Whether capitals, spaces and hyphens of a redemption code do not count, or do"
  )
}

/** The choices that are on or off; off by default. */
export const switches = {
  requirePkce: { decision: 1, description: "Refuse authorization requests without PKCE" },
  singleGrant: { decision: 30, description: "Let a new login end what the user granted the application before" },
  partialConsent: { decision: 33, description: "Let users leave out scopes that an application asks for" },
  issuerParameter: { decision: 41, description: "Add iss to answers of the authorize page (RFC 9207)" },
  tokenJsonBody: { decision: 45, description: "Take JSON bodies at the token endpoint too" },
  deviceFlow: { decision: 47, description: "Let devices without a browser ask for authorization (RFC 8628)" },
  revocation: { decision: 50, description: "Let applications revoke their tokens (RFC 7009)" },
  introspection: { decision: 50, description: "Let applications ask about their tokens (RFC 7662)" },
  publicClients: { decision: 53, description: "Allow applications without a secret, with PKCE and rotation forced" },
  showDeleted: {
    decision: 85,
    description: "Show a deleted task that is asked for by its id, with its status, instead of 404"
  },
  hideUnknownCodes: { decision: 91, description: "Answer an unknown redemption code like a used one" }
} as const

/** The decisions of this service where the contract leaves a choice. */
export type ContractOptions = {
  readonly [K in keyof typeof choices]: (typeof choices)[K]["values"][number]
} & { readonly [K in keyof typeof switches]: boolean }

/** Fills in the defaults. */
export const complete = (overrides: Partial<ContractOptions>): ContractOptions => ({ ...defaults, ...overrides })

const defaults = {
  ...Record.map(choices, ({ values }) => values[0]),
  ...Record.map(switches, () => false)
} as ContractOptions
