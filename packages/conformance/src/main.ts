import * as Manifest from "@heddle/command-line/Manifest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { groups } from "./Catalogue.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Preflight from "./internal/Preflight.ts"
import * as Report from "./Report.ts"
import * as Runner from "./Runner.ts"
import { unreachable } from "./Unreachable.ts"

const main = async (): Promise<number> => {
  const command = CommandLine.read(process.argv.slice(2), process.env)
  switch (command._tag) {
    case "Help":
      print(CommandLine.help.trimEnd())
      return 0
    case "Version":
      print(Manifest.version(import.meta.resolve("@heddle/conformance/package.json")))
      return 0
    case "List":
      return list(command)
    case "Run":
      return run(command)
  }
}

type CommandOf<Tag extends CommandLine.Command["_tag"]> = Extract<CommandLine.Command, { readonly _tag: Tag }>

const list = ({ json, only }: CommandOf<"List">) => {
  for (const { checks } of selectGroups(only)) {
    for (const check of checks) print(json ? JSON.stringify(Report.toJson(check)) : Report.listLine(check))
  }
  const rows = unreachable.filter(({ row }) => matchesOnly(row, only))
  for (const row of rows) {
    print(json ? JSON.stringify({ unreachable: row.row, ...row, row: undefined }) : Report.listRowLine(row))
  }
  const count = selectGroups(only).reduce((sum, { checks }) => sum + checks.length, 0)
  if (!json) print(`${count} checks, ${rows.length} not reachable`)
  return 0
}

const run = async ({ json, only, settings, strict }: CommandOf<"Run">) => {
  const selected = selectGroups(only)
  if (selected.length === 0)
    throw new CommandLine.UsageError(`--only: no check is named like ${JSON.stringify(only)}; --list shows them`)
  const problem = await Effect.runPromise(Preflight.findProblem(settings))
  if (problem !== undefined) throw new CommandLine.UsageError(`${problem}. Nothing was checked`)
  const results: Array<Runner.Result> = []
  await Effect.runPromise(
    Runner.run(selected, settings, { strict }).pipe(
      Stream.runForEach((result) =>
        Effect.sync(() => {
          results.push(result)
          print(json ? Report.json(result) : Report.line(result))
        })
      )
    )
  )
  const summary = Report.summarize(results, unreachable.length)
  print(json ? JSON.stringify({ summary }) : Report.summaryLine(summary))
  return summary.failed > 0 ? 1 : 0
}

const selectGroups = (only: string | undefined) =>
  groups
    .map((group) => ({ ...group, checks: group.checks.filter(({ name }) => matchesOnly(name, only)) }))
    .filter(({ checks }) => checks.length > 0)

const matchesOnly = (name: string, only: string | undefined) =>
  only === undefined || name.toLowerCase().includes(only.toLowerCase())

const print = (line: string) => void process.stdout.write(`${line}\n`)

main().then(
  (status) => {
    process.exitCode = status
  },
  (cause: unknown) => {
    process.stderr.write(`heddle-conformance: ${cause instanceof Error ? cause.message : String(cause)}\n`)
    process.exitCode = cause instanceof CommandLine.UsageError ? 2 : 1
  }
)
