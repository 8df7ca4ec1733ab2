import * as Command from "@effect/cli/Command"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Fs from "node:fs"
import { AssistantError } from "../assistant/AssistantError.ts"
import * as LocalAssistant from "../assistant/LocalAssistant.ts"
import * as Terminal from "../assistant/Terminal.ts"
import * as CommandLine from "../internal/CommandLine.ts"
import * as Output from "./Output.ts"
import * as Program from "./Program.ts"
import * as Setting from "./Setting.ts"

/** `heddle-assistant`: this computer's local assistant, until it is told to stop. */
export const command = Command.make(
  "heddle-assistant",
  {
    service: Setting.requiredText("service", "The service's address, as its ready line names it"),
    tokenFile: Setting.text("token-file", "A file with the credential, in place of HEDDLE_ASSISTANT_TOKEN"),
    agent: Setting.text("agent", "The ACP agent that answers; the built-in one when left out"),
    cwd: Setting.text("cwd", "The folder in which the agent works; the present one when left out"),
    approve: Setting.choice("approve", ["ask", "deny", "allow"], "What is done when the agent asks for permission"),
    state: Setting.text(
      "state",
      "The folder that keeps which session is whose; your user's state folder when left out"
    ),
    turnTimeout: Setting.integer("turn-timeout", "Seconds without a sign of the agent that end its turn; 600"),
    answerTimeout: Setting.integer("answer-timeout", "Seconds that a person may take to answer a question; 300")
  },
  (given) =>
    Effect.gen(function* () {
      const interactive = process.stdin.isTTY === true && process.stderr.isTTY === true
      const running = yield* LocalAssistant.run({
        service: given.service,
        token: yield* token(given.tokenFile),
        approve: Option.getOrElse(given.approve, () => "ask" as const),
        ...(interactive ? { terminal: Terminal.make(process.stdin, process.stderr) } : {}),
        ...some("agentCommand", Option.map(given.agent, commandOf)),
        ...some("cwd", given.cwd),
        ...some("stateDir", given.state),
        ...(yield* seconds("turnSilence", "--turn-timeout", given.turnTimeout)),
        ...(yield* seconds("patience", "--answer-timeout", given.answerTimeout))
      })
      yield* Output.print(true, { ready: true, service: given.service })
      return yield* running.ended
    }).pipe(
      Effect.scoped,
      Effect.onInterrupt(() => Program.leaveInTime)
    )
).pipe(Command.withDescription("Answer, on this computer, what applications ask its user's local assistant"))

const commandOf = (line: string) => CommandLine.fromHere(CommandLine.words(line))

const token = (file: Option.Option<string>): Effect.Effect<Redacted.Redacted, AssistantError> =>
  Effect.suspend(() => {
    const setting = Option.isSome(file) ? "--token-file" : "HEDDLE_ASSISTANT_TOKEN"
    const wrong = (problem: string) =>
      new AssistantError({
        setting,
        problem,
        fix: "Make a credential with: heddle-server assistant create --user ID"
      })
    const text = Option.match(file, {
      onNone: () => process.env["HEDDLE_ASSISTANT_TOKEN"],
      onSome: (path) => (Fs.existsSync(path) ? Fs.readFileSync(path, "utf8") : undefined)
    })?.trim()
    if (text === undefined || text === "")
      return wrong(Option.isSome(file) ? "the file is not there or empty" : "it is not set")
    if (!/^oa_as_[\w-]+$/.test(text))
      return wrong("this is no credential of a local assistant, which begins with oa_as_")
    return Effect.succeed(Redacted.make(text))
  })

const some = <K extends string, A>(key: K, value: Option.Option<A>): { readonly [P in K]?: A } =>
  Option.match(value, { onNone: () => ({}), onSome: (value) => Object.fromEntries([[key, value]]) as { [P in K]: A } })

const seconds = <K extends string>(key: K, setting: string, value: Option.Option<number>) =>
  Option.exists(value, (number) => number < 1)
    ? Effect.fail(
        new AssistantError({
          setting,
          problem: "it is less than one second",
          fix: "Give a number of seconds from 1 up."
        })
      )
    : Effect.succeed(some(key, Option.map(value, Duration.seconds)))
