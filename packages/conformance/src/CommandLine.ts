import * as Options from "@effect/cli/Options"
import * as CommandLine from "@heddle/command-line/CommandLine"
import * as Setting from "@heddle/command-line/Setting"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { flagOf, prerequisites, type Prerequisite, type Settings } from "./Settings.ts"

/** What the command line requests. */
export type Command =
  | { readonly _tag: "Help" | "Version" }
  | ({ readonly _tag: "List" } & Output)
  | ({ readonly _tag: "Run"; readonly settings: Settings; readonly strict: boolean } & Output)

interface Output {
  readonly json: boolean
  /** Only checks whose name contains this, in any case. */
  readonly only: string | undefined
}

/** A wrong command line or environment: one line with the problem and the fix. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** Reads arguments and environment; throws {@link UsageError}. */
export const read = (args: ReadonlyArray<string>, env: Readonly<Record<string, string | undefined>>): Command => {
  const line = Either.getOrThrowWith(
    Effect.runSync(Effect.either(CommandLine.read(options, args, env))),
    ({ message }) => new UsageError(`${message}; --help lists the options`)
  )
  if (line._tag !== "Values") return line
  const { artifactPrompt = defaultArtifactPrompt, disposable, json, limitedScope, list, only, strict } = line.options
  const output = { json, only }
  if (list) return { _tag: "List", ...output }
  const given = givenIn(line.options.prerequisites)
  return {
    _tag: "Run",
    ...output,
    strict,
    settings: {
      baseUrl: baseUrl(line.operands, env["HEDDLE_BASE_URL"]),
      given,
      limitedScope: limitedScope ?? "user.profile.readable",
      artifactPrompt,
      disposable
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

const defaultArtifactPrompt =
  "Make a bar chart of sales by month from this table, and a short summary.\n\n```csv\nmonth,sales\n2026-01,10\n2026-02,30\n2026-03,20\n```"

type Values = ReadonlyArray<readonly [name: Prerequisite, values: ReadonlyArray<string>]>

const options = Options.all({
  prerequisites: Options.map(
    Options.all(names.map((name) => Options.map(valuesOf(name), (values) => [name, values] as const))),
    (given): Values => given
  ),
  limitedScope: Setting.text("limited-scope"),
  artifactPrompt: Setting.text("artifact-prompt"),
  only: Setting.text("only"),
  disposable: Setting.flag("disposable"),
  strict: Setting.flag("strict"),
  list: Setting.flag("list"),
  json: Setting.flag("json")
})

function valuesOf(name: Prerequisite): Options.Options<ReadonlyArray<string>> {
  return prerequisites[name].repeatable
    ? Setting.texts(flagOf(name))
    : Options.map(Setting.text(flagOf(name)), (value) => (value === undefined ? [] : [value]))
}

const givenIn = (values: Values): Settings["given"] => {
  const given = new Map(
    values.flatMap(([name, texts]) =>
      texts.length === 0 ? [] : [[name, texts.map((text) => Redacted.make(text))] as const]
    )
  )
  const missing = (["clientId", "clientSecret", "accessToken"] as const)
    .filter((name) => !given.has(name))
    .map((name) => flagOf(name))
  if (missing.length > 0) {
    throw new UsageError(
      `${missing.map((flag) => `--${flag}`).join(", ")}: missing. Give the flag or ${missing.map((flag) => Setting.variable(flag)).join(", ")} in the environment`
    )
  }
  check(given)
  return given
}

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
    if (values.some((value) => /[\r\n]/.test(Redacted.value(value))))
      throw new UsageError(`--${flagOf(name)}: it has a line break`)
  }
  const assistant = given.get("assistant")?.[0]
  if (assistant !== undefined && !["online", "offline"].includes(Redacted.value(assistant))) {
    throw new UsageError("--assistant: say online or offline")
  }
}

const baseUrl = (operands: ReadonlyArray<string>, variable: string | undefined) => {
  const [given = variable, ...more] = operands
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

function option(flag: string, text: string): string {
  return `  ${flag.padEnd(30)} ${text}`
}
