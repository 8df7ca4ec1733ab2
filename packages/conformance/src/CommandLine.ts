import * as Redacted from "effect/Redacted"
import { parseArgs } from "node:util"
import { flagOf, prerequisites, type Prerequisite, type Settings } from "./Settings.ts"

/** What the command line asks for. */
export type Command =
  | { readonly _tag: "Help" | "Version" }
  | ({ readonly _tag: "List" } & Output)
  | ({ readonly _tag: "Run"; readonly settings: Settings; readonly strict: boolean } & Output)

interface Output {
  readonly json: boolean
  /** Only checks whose name contains this, in any case. */
  readonly only: string | undefined
}

/** The command line or the environment is wrong: one line says what and how to put it right. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** Reads arguments and environment; throws {@link UsageError}. */
export const read = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>
): Command => {
  const { positionals, values } = parse(args)
  if (values.help === true) return { _tag: "Help" }
  if (values.version === true) return { _tag: "Version" }
  const setting = (name: string) => text(values[name]) ?? (environment[variable(name)] || undefined)
  const on = (name: string) => values[name] === true || /^(1|true|yes|on)$/i.test(environment[variable(name)] ?? "")
  const output = { json: on("json"), only: setting("only") }
  if (on("list")) return { _tag: "List", ...output }

  const given = new Map<Prerequisite, ReadonlyArray<Redacted.Redacted>>()
  for (const name of names) {
    const flag = flagOf(name)
    const found = repeated(values[flag]) ?? fromEnvironment(name, environment[variable(flag)])
    if (found.length > 0)
      given.set(
        name,
        found.map((value) => Redacted.make(value))
      )
  }
  const missing = (["clientId", "clientSecret", "accessToken"] as const).filter((name) => !given.has(name))
  if (missing.length > 0) {
    throw new UsageError(
      `${missing.map((name) => `--${flagOf(name)}`).join(", ")}: missing. Give the flag or ${missing.map((name) => variable(flagOf(name))).join(", ")} in the environment`
    )
  }
  check(given)
  return {
    _tag: "Run",
    ...output,
    strict: on("strict"),
    settings: {
      baseUrl: baseUrl(positionals, environment["HEDDLE_BASE_URL"]),
      given,
      limitedScope: setting("limited-scope") ?? "user.profile.readable",
      artifactPrompt: setting("artifact-prompt") ?? artifactPrompt,
      disposable: on("disposable")
    }
  }
}

/** The text of `--help`. */
export const help = `heddle-conformance: does a service keep the Open API document?

Usage: heddle-conformance BASE_URL --client-id ID --client-secret S --access-token T [options]

What the service is asked with (a check that lacks something is skipped and says so):
${Object.entries(prerequisites)
  .map(([name, { help, repeatable }]) =>
    option(`--${flagOf(name)} VALUE`, `${help}${repeatable ? "; repeat for several" : ""}`)
  )
  .join("\n")}
${option("--limited-scope SCOPE", "The one scope of --limited-access-token (user.profile.readable)")}
${option("--artifact-prompt TEXT", "Asks the agent for something that leaves artifacts")}
${option("--disposable", "Also run checks that use up limits which only time gives back")}

How it is run:
${option("--strict", "Rulings count like the document itself: a differing service fails")}
${option("--only TEXT", "Only checks whose name contains TEXT")}
${option("--list", "Print every check and every row that cannot be reached; needs no service")}
${option("--json", "One JSON object per check, then one with the summary")}
${option("--help, --version", "This text; the version")}

Every flag has an environment variable: --access-token is HEDDLE_ACCESS_TOKEN, BASE_URL is HEDDLE_BASE_URL. Prefer it
for secrets, since other users of the machine see command lines. Variables separate several values by commas.

Use a test account: the run creates tasks, and redeems what it is given.
Ends with 0 without failures, 1 with failures, 2 for wrong use or a service that does not response.
`

const names = Object.keys(prerequisites) as ReadonlyArray<Prerequisite>

const artifactPrompt =
  "Make a bar chart of sales by month from this table, and a short summary.\n\n```csv\nmonth,sales\n2026-01,10\n2026-02,30\n2026-03,20\n```"

const parse = (args: ReadonlyArray<string>) => {
  const textual = [...names.map(flagOf), "limited-scope", "artifact-prompt", "only"]
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...Object.fromEntries(textual.map((name) => [name, { type: "string", multiple: true } as const])),
        ...Object.fromEntries(
          ["disposable", "strict", "list", "json", "help", "version"].map((name) => [
            name,
            { type: "boolean" } as const
          ])
        )
      }
    }) as { positionals: Array<string>; values: Record<string, Array<string> | boolean | undefined> }
  } catch (cause) {
    const [reason = "unknown option"] = (cause instanceof Error ? cause.message : String(cause)).split("\n")
    throw new UsageError(`${reason.replace(/\. To specify.*$/, "")}; --help lists the options`)
  }
}

const text = (value: Array<string> | boolean | undefined) => (Array.isArray(value) ? value.at(-1) : undefined)

const repeated = (value: Array<string> | boolean | undefined) => (Array.isArray(value) ? value : undefined)

const fromEnvironment = (name: Prerequisite, value: string | undefined) =>
  value === undefined || value === ""
    ? []
    : prerequisites[name].repeatable
      ? value.split(",").filter((part) => part !== "")
      : [value]

const check = (given: ReadonlyMap<Prerequisite, ReadonlyArray<Redacted.Redacted>>) => {
  for (const name of ["voucher", "inactiveClient", "otherClient"] as const) {
    for (const value of given.get(name) ?? []) {
      if (!/^[^:]+:.+$/s.test(Redacted.value(value))) {
        throw new UsageError(
          `--${flagOf(name)}: it has two parts with a colon between them, like ${name === "voucher" ? "KEY:CODE" : "ID:SECRET"}`
        )
      }
    }
  }
  for (const [name, values] of given) {
    if (!prerequisites[name].repeatable && values.length > 1)
      throw new UsageError(`--${flagOf(name)}: given more than once`)
    if (values.some((value) => /[\r\n]/.test(Redacted.value(value))))
      throw new UsageError(`--${flagOf(name)}: it has a line break`)
  }
  const assistant = given.get("assistant")?.[0]
  if (assistant !== undefined && !["online", "offline"].includes(Redacted.value(assistant))) {
    throw new UsageError("--assistant: say online or offline")
  }
}

const baseUrl = (positionals: ReadonlyArray<string>, variable: string | undefined) => {
  const [given = variable, ...more] = positionals
  if (given === undefined || given === "")
    throw new UsageError("BASE_URL: missing. Name the service, like https://api.example.com")
  if (more.length > 0) throw new UsageError(`one BASE_URL only; ${JSON.stringify(more[0])} is one too many`)
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  ) {
    throw new UsageError(`BASE_URL: ${JSON.stringify(given)} is no http or https address of a service`)
  }
  return url.href.replace(/\/+$/, "")
}

function variable(name: string): string {
  return `HEDDLE_${name.toUpperCase().replaceAll("-", "_")}`
}

function option(flag: string, text: string): string {
  return `  ${flag.padEnd(30)} ${text}`
}
