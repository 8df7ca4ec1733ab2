import type * as Redacted from "effect/Redacted"

/** The settings that an implementer can give to the suite. The flag is the name in kebab case. */
export const prerequisites = {
  clientId: about("The client_id of an application that may ask for every scope"),
  clientSecret: about("Its client_secret"),
  accessToken: about("An access token of that application and a test account, with every scope"),
  refreshToken: about("A refresh token of the same grant; newer ones are used as they come"),
  limitedAccessToken: about("An access token with one scope only"),
  otherAccessToken: about("An access token with every scope, of another application and another user"),
  expiredAccessToken: about("An access token that has expired"),
  inactiveClient: about("ID:SECRET of an application that was taken out of service"),
  inactiveAccessToken: about("An access token of an application that was taken out of service"),
  otherClient: about("ID:SECRET of another active application"),
  redirectUri: about("A callback of the application, to the letter"),
  authorizationCode: many("A fresh authorization code for --redirect-uri, asked for without PKCE"),
  phone: about("The mobile number bound to the test account, with its country code"),
  code: many("An unused redemption code"),
  voucher: many("KEY:CODE of an unused voucher"),
  expiredCode: about("A redemption code that has expired"),
  assistant: about("online or offline: what the test account's local assistant is now")
} as const

/** The name of a setting. */
export type Prerequisite = keyof typeof prerequisites

/** The settings of a run. */
export interface Settings {
  /** Without a slash at its end; a path prefix is fine. */
  readonly baseUrl: string
  readonly given: ReadonlyMap<Prerequisite, ReadonlyArray<Redacted.Redacted>>
  /** The one scope of the limited access token. */
  readonly limitedScope: string
  /** Asks the agent for something that leaves artifacts. */
  readonly artifactPrompt: string
  /** Whether checks may use up limits that only time gives back. */
  readonly disposable: boolean
}

/** The flag of a setting, without its dashes. */
export const flagOf = (name: string): string => name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)

interface About {
  readonly help: string
  readonly repeatable: boolean
}

function about(help: string): About {
  return { help, repeatable: false }
}

function many(help: string): About {
  return { help, repeatable: true }
}
