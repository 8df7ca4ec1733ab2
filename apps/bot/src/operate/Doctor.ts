import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Settings } from "./BotConfig.ts"
import type { BotStartError } from "../model/BotStartError.ts"
import { callbackPath } from "./BotHttp.ts"
import * as LockFile from "../store/database/LockFile.ts"
import * as DiscordCheck from "./DiscordCheck.ts"
import { failed, type Finding, note, ok } from "./Finding.ts"
import * as AddressCheck from "./AddressCheck.ts"
import * as StorageCheck from "./StorageCheck.ts"
import * as ServiceCheck from "./ServiceCheck.ts"

/** The findings; `ok` unless one prevents the bot from working. */
export interface DoctorReport {
  readonly ok: boolean
  /** The page on which an admin adds the bot; undefined when Discord did not return the application. */
  readonly invite: string | undefined
  readonly checks: ReadonlyArray<Finding>
}

/** Checks everything that the bot needs, as far as the settings allow; changes nothing. */
export const examine = Effect.fn("Doctor.examine")(function* (
  settings: Settings,
  problems: ReadonlyArray<BotStartError>
): Effect.fn.Return<DoctorReport, never, FileSystem.FileSystem | HttpClient.HttpClient | Path.Path> {
  const { baseUrl, clientId, clientSecret, dataDir, discordApi, discordToken, encryptionKey, host, port, publicUrl } =
    settings
  const publicBaseUrl = (publicUrl ?? `http://${host ?? "127.0.0.1"}:${port}`).replace(/\/+$/, "")
  const isFixed = publicUrl !== undefined || port !== 0
  const lockHolder = dataDir === undefined ? Option.none() : yield* LockFile.holder(dataDir)

  const discord =
    discordToken === undefined ? undefined : yield* DiscordCheck.check({ token: discordToken, api: discordApi })
  const serviceFindings = baseUrl === undefined ? [] : [yield* checkReachable(baseUrl)]
  const clientFindings =
    baseUrl === undefined ||
    clientId === undefined ||
    clientSecret === undefined ||
    serviceFindings[0]?.status === "failed"
      ? []
      : yield* ServiceCheck.check({
          baseUrl,
          clientId,
          clientSecret,
          callback: isFixed ? `${publicBaseUrl}${callbackPath}` : undefined
        })
  const checks = [
    ...problems.map(({ fix, problem, setting }) => failed(setting, problem, fix)),
    ...(discord?.findings ?? []),
    ...serviceFindings,
    ...clientFindings,
    isFixed
      ? yield* AddressCheck.address(publicBaseUrl, publicUrl !== undefined, Option.isSome(lockHolder))
      : note("HEDDLE_PORT", "the port is another one at each start", "Give a port, or HEDDLE_PUBLIC_URL."),
    ...(encryptionKey === undefined ? [] : [yield* StorageCheck.key(encryptionKey, dataDir)]),
    ...(dataDir === undefined ? [] : [yield* StorageCheck.folder(dataDir)])
  ]
  return { ok: checks.every(({ status }) => status !== "failed"), invite: discord?.invite, checks }
})

/** The report as text: one line per check, with the fix. */
export const text = ({ checks, invite, ok }: DoctorReport): string =>
  [
    ...checks.map(
      ({ check, fix, status, text }) => `${signs[status]} ${check}: ${text}.${fix === undefined ? "" : ` ${fix}`}`
    ),
    ...(invite === undefined ? [] : [`→ Invite link: ${invite}`]),
    ok ? "The bot can run." : "Something keeps the bot from working: see the lines with ✗.",
    ""
  ].join("\n")

const signs = { ok: "✓", note: "!", failed: "✗" } as const

const checkReachable = (baseUrl: string): Effect.Effect<Finding> =>
  ServiceCheck.reachable(baseUrl).pipe(
    Effect.as(ok("HEDDLE_BASE_URL", `the service at ${baseUrl} answers`)),
    Effect.catchAll(({ fix, problem, setting }) => Effect.succeed(failed(setting, problem, fix)))
  )
