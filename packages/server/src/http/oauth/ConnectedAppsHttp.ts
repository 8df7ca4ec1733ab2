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
        return yield* showPage(Query.of(request.url))
      })
      const post = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* handleForm(yield* FormBody.read(request))
      })
      yield* router.get(ConnectedAppsPages.path, Effect.provide(get, context))
      yield* router.post(ConnectedAppsPages.path, Effect.provide(post, context))
    })
  )

/** Shows the list, or with `app` the confirmation to disconnect it. */
const showPage = Effect.fnUntraced(function* (parameters: URLSearchParams) {
  const app = parameters.get("app")?.slice(0, 64)
  const session = yield* BrowserSession.current
  const account = Option.isSome(session) ? yield* (yield* SignIns).account(session.value) : Option.none()
  if (Option.isNone(session) || Option.isNone(account)) {
    const { signedOut } = (yield* Locale.current).signIn
    return yield* signInPage(session, app, parameters.has("signed_out") ? { notice: signedOut } : {})
  }
  const apps = yield* (yield* ConnectedApps).list(account.value.userId)
  const selectedApp = apps.find(({ clientId }) => clientId === app)
  if (selectedApp !== undefined)
    return ConnectedAppsPages.confirmDisconnect(yield* makeForm(session.value, "confirm", app), selectedApp)

  // Shown only where it is true, because anyone can make such a URL.
  const disconnectedApp = apps.some(({ clientId }) => clientId === parameters.get("disconnected"))
    ? Option.none()
    : yield* (yield* Applications).get(parameters.get("disconnected") ?? "")
  return ConnectedAppsPages.list(yield* makeForm(session.value, "list", undefined), {
    account: account.value,
    apps,
    disconnected: Option.getOrUndefined(disconnectedApp)?.name
  })
})

/** Handles a posted form after the CSRF check. */
const handleForm = Effect.fnUntraced(function* (formBody: Parameters) {
  const signIns = yield* SignIns
  const step = formBody.optional("step")
  const app = formBody.optional("app")?.slice(0, 64)
  const listUrl = yield* address({})
  const messages = yield* Locale.current
  const page = step === "sign_in" ? "sign_in" : step === "disconnect" ? "confirm" : "list"
  const checkedSession = yield* CsrfCheck.check(formBody.optional("form_token") ?? "", [csrfPurpose(page, app)]).pipe(
    Effect.either
  )
  if (checkedSession._tag === "Left")
    return RefusedForm.respond(
      messages.refusedForm[checkedSession.left],
      { href: listUrl, label: messages.apps.listLink },
      messages
    )
  const session = checkedSession.right
  const url = yield* address(app === undefined ? {} : { app })

  const signInResponse = yield* SignInForm.handleStep(step, formBody.optional, {
    session,
    signedIn: url,
    signedOut: yield* address({ signed_out: "1" }),
    messages: messages.signIn,
    showAgain: (retry) => signInPage(Option.some(session), app, retry)
  })
  if (signInResponse !== undefined) return signInResponse
  const account = yield* signIns.account(session)
  if (step !== "disconnect" || app === undefined) return BrowserSession.redirect(listUrl, 303)
  if (Option.isNone(account)) {
    const notice = messages.signIn.sessionEnded.disconnect
    return yield* signInPage(Option.some(session), app, { notice, status: 401 })
  }
  yield* (yield* ConnectedApps).disconnect({ userId: account.value.userId, clientId: app })
  return BrowserSession.redirect(yield* address({ disconnected: app }), 303)
})

const signInPage = Effect.fnUntraced(function* (
  session: Option.Option<Redacted.Redacted>,
  app: string | undefined,
  retry: Partial<SignInForm.Retry> & { readonly notice?: string }
) {
  const signInHint = yield* SignInHint.current
  const current = Option.isSome(session) ? session.value : yield* (yield* SignIns).open
  const page = ConnectedAppsPages.signIn(yield* makeForm(current, "sign_in", app), { hint: signInHint, ...retry })
  return Option.isSome(session) ? page : yield* BrowserSession.keepNew(page, current)
})

/** The page of a form. A CSRF token is valid for one page only. */
type FormPage = "sign_in" | "list" | "confirm"

const csrfPurpose = (page: FormPage, app: string | undefined) => `connected apps ${page} ${app ?? ""}`

const makeForm = Effect.fnUntraced(function* (session: Redacted.Redacted, page: FormPage, app: string | undefined) {
  const csrfToken = (yield* SignIns).csrfToken(session, csrfPurpose(page, app))
  return { messages: yield* Locale.current, action: yield* address({}), csrfToken, app }
})

const address = (parameters: Readonly<Record<string, string>>) =>
  Effect.map(ServerConfig, ({ publicUrl }) => {
    const pageUrl = PublicPath.of(publicUrl, ConnectedAppsPages.path)
    return Object.keys(parameters).length === 0 ? pageUrl : ConnectedAppsPages.address(pageUrl, parameters)
  })
