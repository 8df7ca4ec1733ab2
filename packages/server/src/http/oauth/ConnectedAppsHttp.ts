import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { Applications } from "../../oauth/Applications.ts"
import { ConnectedApps } from "../../oauth/ConnectedApps.ts"
import type { Parameters } from "../../internal/Parameters.ts"
import * as FormBody from "../message/FormBody.ts"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { SignIns } from "../../accounts/SignIns.ts"
import * as BrowserSession from "./BrowserSession.ts"
import * as ConnectedAppsPages from "./ConnectedAppsPages.ts"
import * as CsrfCheck from "./CsrfCheck.ts"
import * as Locale from "../pages/Locale.ts"
import * as PublicPath from "../message/PublicPath.ts"
import * as Query from "../message/Query.ts"
import * as SignInForm from "./SignInForm.ts"
import * as SignInHint from "./SignInHint.ts"
import * as RefusedForm from "./RefusedForm.ts"

/** The page where people see which applications use their account, and disconnect them (contract decision 50). */
export const layer: Layer.Layer<never, never, Applications | ConnectedApps | ServerConfig | SignIns> =
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const context = yield* Effect.context<Applications | ConnectedApps | ServerConfig | SignIns>()
      const get = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* show(Query.of(request.url))
      })
      const post = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* act(yield* FormBody.read(request))
      })
      yield* router.get(ConnectedAppsPages.path, Effect.provide(get, context))
      yield* router.post(ConnectedAppsPages.path, Effect.provide(post, context))
    })
  )

/** Shows the list, or with `app` the question whether to disconnect that one. */
const show = Effect.fnUntraced(function* (parameters: URLSearchParams) {
  const app = parameters.get("app")?.slice(0, 64)
  const session = yield* BrowserSession.current
  const account = Option.isSome(session) ? yield* (yield* SignIns).account(session.value) : Option.none()
  if (Option.isNone(session) || Option.isNone(account)) {
    const { signedOut } = (yield* Locale.current).signIn
    return yield* signInPage(session, app, parameters.has("signed_out") ? { notice: signedOut } : {})
  }
  const apps = yield* (yield* ConnectedApps).list(account.value.userId)
  const chosen = apps.find(({ clientId }) => clientId === app)
  if (chosen !== undefined) return ConnectedAppsPages.confirm(yield* form(session.value, "confirm", app), chosen)

  // Said only of what is true: anybody can write such an address.
  const gone = apps.some(({ clientId }) => clientId === parameters.get("disconnected"))
    ? Option.none()
    : yield* (yield* Applications).get(parameters.get("disconnected") ?? "")
  return ConnectedAppsPages.list(yield* form(session.value, "list", undefined), {
    account: account.value,
    apps,
    disconnected: Option.getOrUndefined(gone)?.name
  })
})

/** Does what a button of these pages asks, once the form has proved that it is ours. */
const act = Effect.fnUntraced(function* (sent: Parameters) {
  const signIns = yield* SignIns
  const step = sent.optional("step")
  const app = sent.optional("app")?.slice(0, 64)
  const own = yield* address({})
  const messages = yield* Locale.current
  const page = step === "sign_in" ? "sign_in" : step === "disconnect" ? "confirm" : "list"
  const proof = yield* CsrfCheck.check(sent.optional("form_token") ?? "", [question(page, app)]).pipe(Effect.either)
  if (proof._tag === "Left")
    return RefusedForm.respond(messages.refusedForm[proof.left], { href: own, label: messages.apps.back }, messages)
  const session = proof.right
  const here = yield* address(app === undefined ? {} : { app })

  if (step === "sign_in") {
    return yield* SignInForm.attempt(
      { name: sent.optional("name") ?? "", password: sent.optional("password") ?? "" },
      { session, next: here, messages: messages.signIn, again: (retry) => signInPage(Option.some(session), app, retry) }
    )
  }
  if (step === "sign_out") {
    yield* signIns.signOut(session)
    return yield* BrowserSession.forget(BrowserSession.redirect(yield* address({ signed_out: "1" }), 303))
  }
  const account = yield* signIns.account(session)
  if (step !== "disconnect" || app === undefined) return BrowserSession.redirect(own, 303)
  if (Option.isNone(account)) {
    const notice = messages.signIn.ended.disconnect
    return yield* signInPage(Option.some(session), app, { notice, status: 401 })
  }
  yield* (yield* ConnectedApps).disconnect({ userId: account.value.userId, clientId: app })
  return BrowserSession.redirect(yield* address({ disconnected: app }), 303)
})

const signInPage = Effect.fnUntraced(function* (
  session: Option.Option<Redacted.Redacted>,
  app: string | undefined,
  more: Partial<SignInForm.Retry> & { readonly notice?: string }
) {
  const signInHint = yield* SignInHint.shown
  const current = Option.isSome(session) ? session.value : yield* (yield* SignIns).open
  const page = ConnectedAppsPages.signIn(yield* form(current, "sign_in", app), { hint: signInHint, ...more })
  return Option.isSome(session) ? page : yield* BrowserSession.begin(page, current)
})

/** Which page a form was on: a token of one must not press the button of another. */
type FormPage = "sign_in" | "list" | "confirm"

const question = (page: FormPage, app: string | undefined) => `connected apps ${page} ${app ?? ""}`

const form = Effect.fnUntraced(function* (session: Redacted.Redacted, page: FormPage, app: string | undefined) {
  const csrfToken = (yield* SignIns).csrfToken(session, question(page, app))
  return { messages: yield* Locale.current, action: yield* address({}), csrfToken, app }
})

const address = (parameters: Readonly<Record<string, string>>) =>
  Effect.map(ServerConfig, ({ publicUrl }) => {
    const own = PublicPath.of(publicUrl, ConnectedAppsPages.path)
    return Object.keys(parameters).length === 0 ? own : ConnectedAppsPages.address(own, parameters)
  })
