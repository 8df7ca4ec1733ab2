import { afterAll } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import * as SqlClient from "@effect/sql/SqlClient"
import { freePort } from "@heddle/test-support/FreePort"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The folder of PostgreSQL's programs on this machine (Debian's, or one on the path), if it has them. */
const programs = ((): string | undefined => {
  const debian = "/usr/lib/postgresql"
  const folders = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : []
  return [...folders, ...(process.env["PATH"] ?? "").split(":")].find((folder) => existsSync(join(folder, "initdb")))
})()

/**
 * Whether there is a PostgreSQL to test on. Where there is none its tests are left out, saying so;
 * with `HEDDLE_REQUIRE_POSTGRES=1` that is an error.
 */
export const available = (): boolean => {
  if (programs !== undefined) return true
  if (process.env["HEDDLE_REQUIRE_POSTGRES"] === "1") throw new Error("PostgreSQL is required, but not installed")
  console.warn("PostgreSQL is not installed: its tests are left out")
  return false
}

/**
 * A PostgreSQL server on a free loopback port for the tests of one file. It starts with the first test and ends after the
 * last. Each test gets the address of its own empty database.
 */
export const databases = () => {
  let server: ReturnType<typeof start> | undefined
  let databases = 0
  afterAll(async () => {
    if (server !== undefined) await stop(await server)
  })
  return Effect.gen(function* () {
    const { url } = yield* Effect.promise(() => (server ??= start()))
    const name = `test${(databases += 1)}`
    yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`CREATE DATABASE ${name}`)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(`${url}/postgres`) })),
      Effect.orDie
    )
    return `${url}/${name}`
  })
}

const start = async () => {
  if (programs === undefined) throw new Error("PostgreSQL is not installed")
  const data = mkdtempSync(join(tmpdir(), "heddle-pg-"))
  // PostgreSQL does not run as root.
  const identity = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {}
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(data, identity.uid, identity.gid)
  const options = { ...identity, cwd: data, stdio: "ignore" as const }
  execFileSync(join(programs, "initdb"), ["-D", data, "-U", "heddle", "-A", "trust", "-E", "UTF8", "-N"], options)
  const port = await freePort()
  const settings = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"]
  const server = spawn(join(programs, "postgres"), ["-D", data, "-p", String(port), ...settings], {
    ...options,
    stdio: ["ignore", "ignore", "pipe"]
  })
  for await (const text of server.stderr) if (String(text).includes("ready to accept connections")) break
  return { data, server, url: `postgres://heddle@127.0.0.1:${port}` }
}

const stop = async ({ data, server }: Awaited<ReturnType<typeof start>>) => {
  if (server.exitCode === null && server.signalCode === null) {
    const gone = once(server, "exit")
    server.kill("SIGINT")
    await gone
  }
  rmSync(data, { recursive: true, force: true })
}

const idOf = (flag: "-u" | "-g"): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
