import type * as Redacted from "effect/Redacted"

/** The settings that an implementer can give to the suite. The flag is the name in kebab case. */
export const prerequisites = {
  clientId: single("The client_id of an application that may ask for every scope"),
  clientSecret: single("Its client_secret"),
  accessToken: single("An access token of that application and a test account, with every scope"),
  refreshToken: single("A refresh token of the same grant; newer ones are used as they come"),
  limitedAccessToken: single("An access token with one scope only"),
  otherAccessToken: single("An access token with every scope, of another application and another user"),
  expiredAccessToken: single("An access token that has expired"),
  inactiveClient: single("ID:SECRET of an application that was taken out of service"),
  inactiveAccessToken: single("An access token of an application that was taken out of service"),
  otherClient: single("ID:SECRET of another active application"),
  redirectUri: single("A callback of the application, to the letter"),
  authorizationCode: repeatable("A fresh authorization code for --redirect-uri, requested without PKCE"),
  phone: single("The mobile number bound to the test account, with its country code"),
  code: repeatable("An unused redemption code"),
  voucher: repeatable("KEY:CODE of an unused voucher"),
  expiredCode: single("A redemption code that has expired"),
  assistant: single("online or offline: what the test account's local assistant is now")
} as const

/** The name of a setting. */
export type Prerequisite = keyof typeof prerequisites

/** The settings of a run. */
export interface Settings {
  /** Without a trailing slash; may have a path prefix. */
  readonly baseUrl: string
  readonly values: ReadonlyMap<Prerequisite, ReadonlyArray<Redacted.Redacted>>
  /** The one scope of the limited access token. */
  readonly limitedScope: string
  /** A prompt whose turn leaves artifacts. */
  readonly artifactPrompt: string
  /** Whether checks may use up limits that recover only with time. */
  readonly disposable: boolean
}

/** The flag of a setting, without its dashes. */
export const flagOf = (name: string): string => name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)

interface SettingInfo {
  readonly help: string
  readonly repeatable: boolean
}

function single(help: string): SettingInfo {
  return { help, repeatable: false }
}

function repeatable(help: string): SettingInfo {
  return { help, repeatable: true }
}
