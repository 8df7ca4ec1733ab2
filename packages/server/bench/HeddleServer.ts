import { Accounts } from "@heddle/server/accounts/Accounts"
import * as Administration from "@heddle/server/Administration"
import { Applications } from "@heddle/server/oauth/Applications"
import { Grants } from "@heddle/server/oauth/Grants"
import * as Database from "@heddle/server/sql/Database"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { fork } from "node:child_process"
import { serveHere } from "./ServeHere.ts"

const withWriter = process.argv[2] === "written"
const data = process.env["BENCH_FOLDER"] ?? "bench-data"
const scopes = ["user.profile.readable"] as const

const token = await Effect.gen(function* () {
  const redirectUris = ["http://127.0.0.1/callback"]
  const { clientId } = yield* (yield* Applications).create({ name: "bench", redirectUris, scopes })
  const { userId } = yield* (yield* Accounts).create({ name: "Ada" })
  const { accessToken } = yield* (yield* Grants).issue({ clientId, userId, scopes: new Set(scopes) })
  return Redacted.value(accessToken)
}).pipe(Effect.provide(Administration.layer(data)), Effect.runPromise)

await serveHere(data, (url) => {
  if (withWriter) fork(new URL("Writer.js", import.meta.url), [Database.path(data)])
  process.send?.({ ready: { url, token } })
})
