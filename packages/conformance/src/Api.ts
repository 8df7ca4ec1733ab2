import * as Effect from "effect/Effect"
import { CheckContext } from "./CheckContext.ts"
import { Mismatch, Skipped } from "./CheckFailure.ts"
import type { Response, Request, TokenSetting } from "./HttpMessage.ts"
import { problems, type Expectation } from "./Expectation.ts"

/** Options of a request. */
export interface Options {
  readonly token?: TokenSetting | { readonly token: string } | "none"
  readonly headers?: Readonly<Record<string, string>>
}

export const get = (path: string, options: Options = {}): Request => ({ method: "GET", path, ...options })

export const request = (method: string, path: string, options: Options = {}): Request => ({ method, path, ...options })

/** POST with a value as JSON. */
export const post = (path: string, body: unknown, options: Options = {}): Request =>
  postText(path, JSON.stringify(body), options)

/** POST with a text or bytes, sent as JSON. */
export const postText = (path: string, body: string | Uint8Array, options: Options = {}): Request => ({
  method: "POST",
  path,
  body,
  ...options,
  headers: { "content-type": "application/json", ...options.headers }
})

/** POST with form fields; a field may occur more than once. */
export const postForm = (
  path: string,
  fields: ReadonlyArray<readonly [name: string, value: string]>,
  options: Options = {}
): Request => ({
  method: "POST",
  path,
  body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
  token: "none",
  ...options,
  headers: { "content-type": "application/x-www-form-urlencoded", ...options.headers }
})

/** Sends a request and gives the response; fails with every expectation that the response does not meet. */
export const send = (request: Request, ...expectations: ReadonlyArray<Expectation>) =>
  Effect.flatMap(CheckContext, (context) => context.send(request)).pipe(
    Effect.tap((response) => verify(response, ...expectations))
  )

/** The value of a setting. */
export const setting = (name: Parameters<CheckContext["Type"]["setting"]>[0]) =>
  Effect.flatMap(CheckContext, (context) => context.setting(name))

/** The next unused value of a repeatable setting. */
export const takeSetting = (name: Parameters<CheckContext["Type"]["takeSetting"]>[0]) =>
  Effect.flatMap(CheckContext, (context) => context.takeSetting(name))

/** Fails with every expectation that the response does not meet. */
export const verify = (
  response: Response,
  ...expectations: ReadonlyArray<Expectation>
): Effect.Effect<void, Mismatch> => {
  const mismatches = problems(response, expectations)
  return mismatches.length === 0 ? Effect.void : Effect.fail(new Mismatch({ problems: mismatches }))
}

/** Fails with this problem unless the condition is true. */
export const assert = (isMet: boolean, problem: string): Effect.Effect<void, Mismatch> =>
  isMet ? Effect.void : Effect.fail(new Mismatch({ problems: [problem] }))

/** Skips the check. */
export const skip = (reason: string): Effect.Effect<never, Skipped> => Effect.fail(new Skipped({ reason }))
