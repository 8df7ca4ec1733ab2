import { Accounts } from "@heddle/server/accounts/Accounts"
import * as Administration from "@heddle/server/Administration"
import { Applications } from "@heddle/server/oauth/Applications"
import { Grants } from "@heddle/server/oauth/Grants"
import * as Database from "@heddle/server/sql/Database"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { fork } from "node:child_process"

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

// The command as people run it, in this process so that its CPU time is this process's; its ready line names the URL.
// One caller asks more here than it may by default: the limits are so high that only their checks are left.
const limits = ["address", "application", "user"].flatMap((name) => ["--rate-limit", `${name}=99999999/1`])
process.argv.splice(2, Infinity, "serve", "--data", data, "--port", "0", ...limits)
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = (line: string | Uint8Array) => {
  process.stdout.write = write
  const { url } = JSON.parse(String(line))
  if (withWriter) fork(new URL("Writer.js", import.meta.url), [Database.path(data)])
  return process.send?.({ ready: { url, token } }) ?? false
}
await import("@heddle/server/main")
