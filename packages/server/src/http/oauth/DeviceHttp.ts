import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Conflict, NotFound, RateLimited } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { Account } from "../../accounts/Accounts.ts"
import { Devices } from "../../oauth/Devices.ts"
import type { Parameters } from "../../internal/Parameters.ts"
import * as FormBody from "../message/FormBody.ts"
import * as ApiError from "../../internal/ApiError.ts"
import * as UserCode from "../../oauth/UserCode.ts"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { SignIns } from "../../accounts/SignIns.ts"
import * as BrowserSession from "./BrowserSession.ts"
import * as ConnectedAppsPages from "./ConnectedAppsPages.ts"
import * as DevicePages from "./DevicePages.ts"
import * as CsrfCheck from "./CsrfCheck.ts"
import * as Locale from "../pages/Locale.ts"
import * as PublicPath from "../message/PublicPath.ts"
import * as Query from "../message/Query.ts"
import * as SignInForm from "./SignInForm.ts"
import * as SignInHint from "./SignInHint.ts"
import * as RefusedForm from "./RefusedForm.ts"

/** The device verification page (RFC 8628 3.3): sign in, type the code, decide. Only with the device flow. */
export const layer: Layer.Layer<never, never, Devices | ServerConfig | SignIns> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Devices | ServerConfig | SignIns>()
    const { contract } = yield* ServerConfig
    if (!contract.deviceFlow) return
    const get = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      return yield* showPage(Query.of(request.url).get("user_code") ?? undefined)
    })
    const post = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      return yield* handleForm(yield* FormBody.read(request))
    })
    yield* router.get(DevicePages.path, Effect.provide(get, context))
    yield* router.post(DevicePages.path, Effect.provide(post, context))
  })
)

/** Shows the next page: sign-in, user code or consent. */
const showPage = Effect.fnUntraced(function* (userCode: string | undefined) {
  const { account, session } = yield* browserSession
  if (Option.isNone(session) || Option.isNone(account)) return yield* signInPage(session, userCode, {})
  if (userCode === undefined) return yield* codePage(session.value, account.value, undefined, {})
  const { userId } = account.value
  const consentRequest = yield* (yield* Devices).findRequest({ userCode, userId }).pipe(Effect.either)
  if (consentRequest._tag === "Left")
    return yield* explainRefusal(consentRequest.left, session.value, account.value, userCode)
  const code = UserCode.normalise(userCode)
  const { publicUrl } = yield* ServerConfig
  return DevicePages.consent(yield* makeForm(session.value, "consent", code), {
    account: account.value,
    consentRequest: consentRequest.right,
    userCode: code,
    connectedAppsUrl: PublicPath.of(publicUrl, ConnectedAppsPages.path)
  })
})

/** Handles a posted form after the CSRF check. */
const handleForm = Effect.fnUntraced(function* (formBody: Parameters) {
  const signIns = yield* SignIns
  const step = formBody.optional("step")
  const userCode = formBody.optional("user_code")
  const checkedSession = yield* CsrfCheck.check(
    formBody.optional("form_token") ?? "",
    csrfPurposes(step, userCode)
  ).pipe(Effect.either)
  const url = yield* address(userCode)
  const messages = yield* Locale.current
  if (checkedSession._tag === "Left") {
    if (!(yield* isBrowser)) return yield* ApiError.invalidRequest("The form does not belong to this session.")
    return RefusedForm.respond(
      messages.refusedForm[checkedSession.left],
      { href: url, label: messages.startAgain },
      messages
    )
  }
  const session = checkedSession.right
  const signInResponse = yield* SignInForm.handleStep(step, formBody.optional, {
    session,
    signedIn: url,
    signedOut: url,
    messages: messages.signIn,
    showAgain: (retry) => signInPage(Option.some(session), userCode, retry)
  })
  if (signInResponse !== undefined) return signInResponse
  if ((step !== "allow" && step !== "cancel") || userCode === undefined) return BrowserSession.redirect(url, 303)
  const account = yield* signIns.account(session)
  if (Option.isNone(account)) {
    const notice = messages.signIn.sessionEnded.allow
    return yield* signInPage(Option.some(session), userCode, { notice, status: 401 })
  }
  return yield* decide(session, account.value, userCode, step === "allow")
})

const decide = Effect.fnUntraced(function* (
  session: Redacted.Redacted,
  account: Account,
  userCode: string,
  isAllowed: boolean
) {
  const decision = yield* (yield* Devices)
    .decide({ userCode, userId: account.userId, allow: isAllowed })
    .pipe(Effect.either)
  if (decision._tag === "Left") return yield* explainRefusal(decision.left, session, account, userCode)
  const messages = yield* Locale.current
  return DevicePages.message(isAllowed ? messages.device.connected : messages.device.denied, messages)
})

/** Explains why a user code was rejected: a page for browsers, an error for other clients (contract decision 49). */
const explainRefusal = Effect.fnUntraced(function* (
  refusal: NotFound | Conflict | RateLimited,
  session: Redacted.Redacted,
  account: Account,
  userCode: string
) {
  if (!(yield* isBrowser)) return yield* refusal
  const messages = yield* Locale.current
  switch (refusal._tag) {
    case "NotFound":
      return yield* codePage(session, account, userCode, { problem: messages.device.unknownCode, status: 404 })
    case "Conflict":
      return DevicePages.message(messages.device.alreadyAnswered, messages)
    case "RateLimited":
      return HttpServerResponse.setHeader(
        DevicePages.message(messages.device.tooManyCodes(refusal.retryAfter ?? 60), messages),
        "retry-after",
        String(refusal.retryAfter ?? 60)
      )
  }
})

const signInPage = Effect.fnUntraced(function* (
  session: Option.Option<Redacted.Redacted>,
  userCode: string | undefined,
  retry: Partial<SignInForm.Retry> & { readonly notice?: string }
) {
  if (!(yield* isBrowser)) return yield* ApiError.accessDenied("No user is signed in.")
  const signInHint = yield* SignInHint.current
  const current = Option.isSome(session) ? session.value : yield* (yield* SignIns).open
  const page = DevicePages.signIn(yield* makeForm(current, "sign_in", userCode), { hint: signInHint, ...retry })
  return Option.isSome(session) ? page : yield* BrowserSession.keepNew(page, current)
})

const codePage = (
  session: Redacted.Redacted,
  account: Account,
  userCode: string | undefined,
  retry: { readonly problem?: string; readonly status?: number }
) =>
  Effect.map(makeForm(session, "code", undefined), (codeForm) =>
    DevicePages.code({ ...codeForm, userCode }, { account, ...retry })
  )

const browserSession = Effect.gen(function* () {
  const session = yield* BrowserSession.current
  const account = Option.isSome(session) ? yield* (yield* SignIns).account(session.value) : Option.none()
  return { session, account }
})

const isBrowser = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
  (headers["accept"] ?? "").includes("text/html")
)

/** The page of a form. A CSRF token is valid for one page only. */
type FormPage = "sign_in" | "code" | "consent"

/** The forms that may send a step. */
const csrfPurposes = (step: string | undefined, userCode: string | undefined): ReadonlyArray<string> => {
  if (step === "sign_in") return [csrfPurpose("sign_in", userCode)]
  if (step === "check") return [csrfPurpose("code", undefined)]
  if (step === "sign_out") return [csrfPurpose("code", undefined), csrfPurpose("consent", userCode)]
  return [csrfPurpose("consent", userCode)]
}

const csrfPurpose = (page: FormPage, userCode: string | undefined) => `device ${page} ${userCode ?? ""}`

const makeForm = Effect.fnUntraced(function* (
  session: Redacted.Redacted,
  page: FormPage,
  userCode: string | undefined
) {
  const csrfToken = (yield* SignIns).csrfToken(session, csrfPurpose(page, userCode))
  return { messages: yield* Locale.current, action: yield* address(undefined), csrfToken, userCode }
})

const address = (userCode: string | undefined) =>
  Effect.map(
    ServerConfig,
    ({ publicUrl }) =>
      PublicPath.of(publicUrl, DevicePages.path) +
      (userCode === undefined ? "" : `?${new URLSearchParams({ user_code: userCode.slice(0, 64) })}`)
  )
