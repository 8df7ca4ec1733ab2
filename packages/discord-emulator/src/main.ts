import { subscribe } from "node:diagnostics_channel"
import { appendFileSync, readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { type Emulator, startEmulator } from "./emulator/Emulator.ts"
import { type EmulatorOptions, SettingsError } from "./settings/Settings.ts"

const help = `discord-emulator: Discord on your machine

Usage: discord-emulator [options]

  --port N          port to listen on, 0 for a free one (4320)
  --data DIR        folder that keeps everything; without it nothing outlives the process
  --host ADDRESS    address to listen on (127.0.0.1)
  --limits PROFILE  discord: rate limits as Discord has them; fast: none (discord)
  --locale LOCALE   language of a new server and of its people's clients, such as zh-CN (en-US)
  --help            this text
  --version         the version

Every option has an environment variable of the same name: HEDDLE_PORT, HEDDLE_DATA, HEDDLE_HOST,
HEDDLE_LIMITS, HEDDLE_LOCALE.
When it is ready it prints one line of JSON with the addresses and the bot token on standard output.
Point discord.js at it: new Client({ rest: { api }, intents }), then client.login(botToken).
`

/** The longest time that stopping may take, in milliseconds. */
const drainMs = 5000

const run = async (): Promise<void> => {
  const flags = readFlags()
  if (flags.help === true) return void process.stdout.write(help)
  if (flags.version === true) return void process.stdout.write(`${version()}\n`)
  const record = process.env["HEDDLE_RECORD"]
  if (record !== undefined && record !== "") recordTo(`${record}.${process.pid}`)
  const emulator = await startEmulator(optionsFrom(flags))
  stopOnSignal(emulator)
  const { api, applicationId, botToken, channelId, guildId, page } = emulator
  process.stdout.write(`${JSON.stringify({ ready: true, api, page, botToken, applicationId, guildId, channelId })}\n`)
}

/**
 * Appends recorded requests and events to a file as lines of JSON, with tokens. Each process has its own file, since a kill
 * can leave half a line.
 */
const recordTo = (file: string): void => {
  for (const kind of ["request", "dispatch"])
    subscribe(`discord-emulator:${kind}`, (record) =>
      appendFileSync(file, `${JSON.stringify({ kind, record })}\n`, { mode: 0o600 })
    )
}

const readFlags = () => {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: "string" },
        data: { type: "string" },
        host: { type: "string" },
        limits: { type: "string" },
        locale: { type: "string" },
        help: { type: "boolean" },
        version: { type: "boolean" }
      }
    })
    return values
  } catch (cause) {
    const [reason = "unknown option"] = (cause instanceof Error ? cause.message : String(cause)).split("\n")
    throw new SettingsError(`${reason.replace(/\. To specify.*$/, "")}; --help lists the options`)
  }
}

type Flags = ReturnType<typeof readFlags>

const optionsFrom = (flags: Flags): EmulatorOptions => {
  const setting = (name: "port" | "data" | "host" | "limits" | "locale"): string | undefined =>
    flags[name] ?? (process.env[`HEDDLE_${name.toUpperCase()}`] || undefined)
  const port = setting("port") ?? "4320"
  if (!/^\d+$/.test(port)) throw new SettingsError(`port must be a whole number from 0 to 65535, not ${port}`)
  const data = setting("data")
  const host = setting("host")
  const limits = setting("limits") ?? "discord"
  if (limits !== "discord" && limits !== "fast")
    throw new SettingsError(`limits must be discord or fast, not ${limits}`)
  const locale = setting("locale")
  return {
    port: Number(port),
    limits,
    ...(locale === undefined ? {} : { locale }),
    ...(data === undefined ? {} : { data }),
    ...(host === undefined ? {} : { host })
  }
}

const stopOnSignal = (emulator: Emulator): void => {
  const stop = (): void => {
    setTimeout(() => process.exit(0), drainMs).unref()
    emulator.close().then(
      () => process.exit(0),
      (cause: unknown) => fail(cause)
    )
  }
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
}

const version = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown"
}

const fail = (cause: unknown): void => {
  const wrongSetting = cause instanceof SettingsError
  process.stderr.write(`discord-emulator: ${cause instanceof Error ? cause.message : String(cause)}\n`)
  process.exit(wrongSetting ? 2 : 1)
}

run().catch(fail)
