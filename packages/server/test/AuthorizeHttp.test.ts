import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Api from "./support/Api.ts"
import * as Browser from "./support/Browser.ts"
import * as TestServer from "./support/TestServer.ts"

describe("AuthorizeHttp", () => {
  it.scopedLive("signs in, asks for consent, and goes back with code and state", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const browser = Browser.make(server.url)
      const signIn = yield* browser.get(Browser.authorizePath(server, { scope: "user.task.readable" }))
      console.log(signIn.status, signIn.text, [...signIn.headers])
      const signedIn = yield* browser.press(signIn, "sign_in", { name: "ADA", password: "correct horse" })
      console.log(signedIn.status, signedIn.text, [...signedIn.headers])
      const consent = yield* browser.get(signedIn.headers.get("location") ?? "")
      console.log(consent.status, consent.text, [...consent.headers])
      const back = yield* browser.press(consent, "allow")
      console.log(back.status, back.text, [...back.headers])
      const tokens = yield* Api.connect(server)
      console.log(tokens)
      console.log(yield* Api.request(server, "/openapi/v2/user/profile", Api.withToken(tokens.access_token)))
      console.log(yield* Api.request(server, "/openapi/v2/credit", Api.withToken(tokens.access_token)))
      console.log(
        yield* Api.request(
          server,
          "/openapi/v2/tasks",
          Api.withToken(tokens.access_token, { json: { prompt: "hello\nthere" } })
        )
      )
      console.log(
        yield* Api.request(server, "/openapi/v2/tasks", {
          method: "POST",
          headers: { authorization: `Bearer ${tokens.access_token}` },
          body: "{"
        })
      )
      console.log(
        yield* Api.request(server, "/openapi/v2/tasks", Api.withToken(tokens.access_token, { json: { prompt: 1 } }))
      )
      console.log(yield* Api.request(server, "/openapi/v2/tasks", { method: "DELETE" }))
      console.log(yield* Api.request(server, "/nope"))
      console.log(yield* Api.request(server, "/openapi/v2/credit"))
      yield* Effect.sleep("50 millis")
      console.log(yield* Api.request(server, "/openapi/v2/tasks?page=2&size=x", Api.withToken(tokens.access_token)))
      console.log(yield* Api.request(server, "/openapi/v2/tasks", Api.withToken(tokens.access_token)))
    })
  )
})
