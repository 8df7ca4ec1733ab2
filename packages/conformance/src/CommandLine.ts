import * as Options from "@effect/cli/Options"
import * as CommandLine from "@heddle/command-line/CommandLine"
import * as Setting from "@heddle/command-line/Setting"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { flagOf, prerequisites, type Prerequisite, type Settings } from "./Settings.ts"

/** The request of the command line. */
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
  const values = readValues(line.options.prerequisites)
  return {
    _tag: "Run",
    ...output,
    strict,
    settings: {
      baseUrl: readBaseUrl(line.operands, env["HEDDLE_BASE_URL"]),
      values,
      limitedScope: limitedScope ?? "user.profile.readable",
      artifactPrompt,
      disposable
    }
  }
}

/** The text of `--help`. */
export const help = `heddle-conformance: does a service keep the Open API document?

Usage: heddle-conformance BASE_URL --client-id ID --client-secret S --access-token T [options]

Settings of the service (a check without its settings is skipped and says so):
${Object.entries(prerequisites)
  .map(([name, { help, repeatable }]) =>
    optionLine(`--${flagOf(name)} VALUE`, `${help}${repeatable ? "; repeat for several" : ""}`)
  )
  .join("\n")}
${optionLine("--limited-scope SCOPE", "The one scope of --limited-access-token (user.profile.readable)")}
${optionLine("--artifact-prompt TEXT", "Asks the agent for something that leaves artifacts")}
${optionLine("--disposable", "Also run checks that use up limits which only time gives back")}

Options of the run:
${optionLine("--strict", "Decisions count like the document itself: a differing service fails")}
${optionLine("--only TEXT", "Only checks whose name contains TEXT")}
${optionLine("--list", "Print every check and every row that cannot be reached; needs no service")}
${optionLine("--json", "One JSON object per check, then one with the summary")}
${optionLine("--help, --version", "This text; the version")}

Every flag has an environment variable: --access-token is HEDDLE_ACCESS_TOKEN, BASE_URL is HEDDLE_BASE_URL. Prefer it
for secrets, since other users of the machine see command lines. Variables separate several values by commas.

Use a test account: the run creates tasks, and redeems what it is given.
Ends with 0 without failures, 1 with failures, 2 for wrong use or a service that does not respond.
`

const names = Object.keys(prerequisites) as ReadonlyArray<Prerequisite>

const defaultArtifactPrompt = "Chart sales by month.\n\n```csv\nmonth,sales\n2026-01,10\n2026-02,30\n2026-03,20\n```"

type Values = ReadonlyArray<readonly [name: Prerequisite, values: ReadonlyArray<string>]>

const options = Options.all({
  prerequisites: Options.map(
    Options.all(names.map((name) => Options.map(valuesOf(name), (values) => [name, values] as const))),
    (values): Values => values
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

const readValues = (entries: Values): Settings["values"] => {
  const values = new Map(
    entries.flatMap(([name, texts]) =>
      texts.length === 0 ? [] : [[name, texts.map((text) => Redacted.make(text))] as const]
    )
  )
  const missing = (["clientId", "clientSecret", "accessToken"] as const)
    .filter((name) => !values.has(name))
    .map((name) => flagOf(name))
  if (missing.length > 0) {
    throw new UsageError(
      `${missing.map((flag) => `--${flag}`).join(", ")}: missing. Give the flag or ${missing.map((flag) => Setting.variable(flag)).join(", ")} in the environment`
    )
  }
  validate(values)
  return values
}

const validate = (settings: ReadonlyMap<Prerequisite, ReadonlyArray<Redacted.Redacted>>) => {
  for (const name of ["voucher", "inactiveClient", "otherClient"] as const) {
    for (const value of settings.get(name) ?? []) {
      if (!/^[^:]+:.+$/s.test(Redacted.value(value))) {
        throw new UsageError(
          `--${flagOf(name)}: it has two parts with a colon between them, like ${name === "voucher" ? "KEY:CODE" : "ID:SECRET"}`
        )
      }
    }
  }
  for (const [name, values] of settings) {
    if (values.some((value) => /[\r\n]/.test(Redacted.value(value))))
      throw new UsageError(`--${flagOf(name)}: it has a line break`)
  }
  const assistant = settings.get("assistant")?.[0]
  if (assistant !== undefined && !["online", "offline"].includes(Redacted.value(assistant))) {
    throw new UsageError("--assistant: say online or offline")
  }
}

const readBaseUrl = (operands: ReadonlyArray<string>, variable: string | undefined) => {
  const [text = variable, ...more] = operands
  if (text === undefined || text === "")
    throw new UsageError("BASE_URL: missing. Name the service, like https://api.example.com")
  if (more.length > 0) throw new UsageError(`one BASE_URL only; ${JSON.stringify(more[0])} is one too many`)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  ) {
    throw new UsageError(`BASE_URL: ${JSON.stringify(text)} is no http or https address of a service`)
  }
  return url.href.replace(/\/+$/, "")
}

function optionLine(flag: string, text: string): string {
  return `  ${flag.padEnd(30)} ${text}`
}
