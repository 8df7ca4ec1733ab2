import * as Command from "@effect/cli/Command"
import * as AgentCommand from "@heddle/command-line/AgentCommand"
import * as Setting from "@heddle/command-line/Setting"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Fs from "node:fs"
import { AssistantError } from "./AssistantError.ts"
import * as LocalAssistant from "./LocalAssistant.ts"
import * as Terminal from "./Terminal.ts"

/** `heddle-assistant`: runs this computer's local assistant until it is stopped. */
export const command = Command.make(
  "heddle-assistant",
  {
    service: Setting.required("service", "The service's address, as its ready line names it"),
    tokenFile: Setting.optional("token-file", "A file with the credential, in place of HEDDLE_ASSISTANT_TOKEN"),
    agent: Setting.required("agent", 'The ACP agent that answers, like "gemini --acp"'),
    cwd: Setting.optional("cwd", "The folder in which the agent works; the present one when left out"),
    approve: Setting.choice("approve", ["ask", "deny", "allow"], "What is done when the agent asks for permission"),
    state: Setting.optional(
      "state",
      "The folder that keeps which session is whose; your user's state folder when left out"
    ),
    turnTimeout: Setting.seconds("turn-timeout", "Seconds without a sign of the agent that end its turn; 600"),
    answerTimeout: Setting.seconds("answer-timeout", "Seconds that a person may take to answer a question; 300")
  },
  (flags) =>
    Effect.gen(function* () {
      const isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true
      const running = yield* LocalAssistant.run({
        service: flags.service,
        token: yield* readToken(flags.tokenFile),
        agentCommand: yield* agentCommand(flags.agent),
        ...(isInteractive ? { terminal: Terminal.make(process.stdin, process.stderr) } : {}),
        ...Setting.definedOnly({
          approve: flags.approve,
          cwd: flags.cwd,
          stateDir: flags.state,
          turnSilence: Option.map(flags.turnTimeout, Duration.seconds),
          patience: Option.map(flags.answerTimeout, Duration.seconds)
        })
      })
      process.stdout.write(`${JSON.stringify({ ready: true, service: flags.service })}\n`)
      return yield* running.ended
    }).pipe(Effect.scoped)
).pipe(Command.withDescription("Answer, on this computer, what applications ask its user's local assistant"))

const agentCommand = (line: string): Effect.Effect<ReadonlyArray<string>, AssistantError> =>
  AgentCommand.parse(line).pipe(
    Effect.filterOrFail(
      (words) => words.length > 0,
      () => "it is empty"
    ),
    Effect.mapError(
      (problem) =>
        new AssistantError({ setting: "--agent", problem, fix: 'Give a command like --agent "gemini --acp".' })
    )
  )

const readToken = (file: Option.Option<string>): Effect.Effect<Redacted.Redacted, AssistantError> =>
  Effect.suspend(() => {
    const setting = Option.isSome(file) ? "--token-file" : "HEDDLE_ASSISTANT_TOKEN"
    const invalidCredential = (problem: string) =>
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
      return invalidCredential(Option.isSome(file) ? "the file is not there or empty" : "it is not set")
    if (!/^oa_as_[\w-]+$/.test(text))
      return invalidCredential("this is no credential of a local assistant, which begins with oa_as_")
    return Effect.succeed(Redacted.make(text))
  })
