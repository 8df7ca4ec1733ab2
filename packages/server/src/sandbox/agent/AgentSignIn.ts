import type { TransportError } from "@heddle/acp/AcpError"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Effect from "effect/Effect"
import { field, isRecord, stringField } from "../../internal/Json.ts"
import * as AgentFailure from "./AgentFailure.ts"

/** What an operator gives an agent to sign in with. */
export interface Credentials {
  /** The method that the operator names; undefined for the only one that needs no person. */
  readonly method: string | undefined
  /** What the operator writes before the value of a flag for this agent alone. */
  readonly flagPrefix: string
  /** The variables that the operator passes to the agent and that have a value. */
  readonly variables: ReadonlySet<string>
}

/** A call to the agent within the start timeout. */
export type Call = Effect.Effect<unknown, AgentFailure.AgentFailure | TransportError | JsonRpc.RpcError>

interface Method {
  readonly id: string
  readonly title: string
  readonly need: Need
}

/** What a method needs; without a word of the agent a person may have to open a page, so it is never chosen alone. */
type Need =
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Terminal" }
  | { readonly _tag: "Variables"; readonly required: ReadonlyArray<string> }
  | { readonly _tag: "ApiKey"; readonly provider: string | undefined }

/**
 * Signs in by the method that the operator names, and prepares the calls that follow: a call that asks for a sign-in
 * is made again after one, where one method needs no person.
 */
export const signedIn = Effect.fn("AgentSignIn.signedIn")(function* (
  command: string,
  initializeResponse: unknown,
  credentials: Credentials,
  ask: (method: string, params: object) => Call
) {
  const methods = methodsOf(initializeResponse)
  const fail = (said: string) => failure(command, "starting", said, methods, credentials)
  const authenticate = (methodId: string) =>
    ask("authenticate", { methodId }).pipe(
      Effect.catchTags({
        RpcError: (error) =>
          Effect.fail(fail(`refused the sign-in by "${shown(methodId)}" (${shown(error.explanation, 500)})`)),
        AgentFailure: (error) =>
          Effect.fail(
            error.reason === "silent" ? fail(`did not end the sign-in by "${shown(methodId)}" in time`) : error
          )
      })
    )
  const chosen = choose(methods, credentials)
  const { method: named } = credentials
  if (named !== undefined) {
    if (!methods.some(({ id }) => id === named)) {
      return yield* fail(`does not know the sign-in method "${shown(named)}", which the operator named`)
    }
    yield* authenticate(named)
  }
  return (call: Call): Call => {
    const signIn = named === undefined && chosen !== undefined ? Effect.zipRight(authenticate(chosen), call) : undefined
    return call.pipe(
      Effect.catchIf(isAskedBy, (error) => signIn ?? Effect.fail(error)),
      Effect.catchIf(isAskedBy, (error) => Effect.fail(fail(asked(error, credentials))))
    )
  }
})

/** The methods of an agent's `authMethods`. */
export const methodsOf = (initializeResponse: unknown): ReadonlyArray<Method> => {
  const listed = field(initializeResponse, "authMethods")
  return (Array.isArray(listed) ? listed : []).flatMap((method: unknown) => {
    const id = stringField(method, "id")
    if (id === undefined) return []
    const [name, description] = [stringField(method, "name"), stringField(method, "description")]
    const words = [name, description].filter((text) => text !== undefined && text !== "" && text !== id)
    return [{ id, title: words.map((text) => shown(String(text))).join(": "), need: needOf(method) }]
  })
}

/** The method to use, where there is one: the named one, or the only one that needs no person and has its variables. */
const choose = (methods: ReadonlyArray<Method>, { method, variables }: Credentials): string | undefined => {
  if (method !== undefined) return method
  const [only, ...others] = methods.filter(({ need }) => isReady(need, variables))
  return others.length === 0 ? only?.id : undefined
}

/** Makes the failure of an agent that asks for a sign-in, or that refuses one. */
export const failure = (
  command: string,
  phase: AgentFailure.Phase,
  said: string,
  methods: ReadonlyArray<Method>,
  { flagPrefix, method: named }: Credentials
): AgentFailure.AgentFailure => {
  const list = methods
    .slice(0, 12)
    .map(({ id, need, title }) => `${shown(id)} (${[title, needs(need)].filter((text) => text !== "").join("; ")})`)
  const known = list.length === 0 ? "It names no sign-in method." : `Its sign-in methods: ${list.join(", ")}.`
  const flag = (name: string, value: string) => (flagPrefix === "" ? name : `${name} ${flagPrefix}${value}`)
  const isTerminalOnly = methods.length > 0 && methods.every(({ need }) => need._tag === "Terminal")
  const fix = isTerminalOnly
    ? `Each of them needs a terminal, which an agent here does not have, so ${flag("--agent-auth", "METHOD")} cannot help. The operator has to pass the agent's key with ${flag("--agent-env", "NAME")}. Some agents also need a flag in their command that chooses the key, as \`qwen --acp --auth-type openai\` does.`
    : methods.length === 0
      ? `The operator has to give it what it needs, such as an API key, with ${flag("--agent-env", "NAME")}${named === undefined ? "" : ", and to leave --agent-auth out"}.`
      : methods.every(({ need }) => need._tag === "Terminal" || need._tag === "Unknown")
        ? `The operator has to pass the agent's key with ${flag("--agent-env", "NAME")}. None of the methods is known to work without a person; one that does can be named with ${flag("--agent-auth", "METHOD")}.`
        : `The operator has to name a method with ${flag("--agent-auth", "METHOD")} and to give its variables with ${flag("--agent-env", "NAME")}. A method that opens a browser or a terminal does not work here.`
  const after = phase === "starting" ? "" : ` ${sendAgain}`
  return new AgentFailure.AgentFailure({
    reason: "sign_in",
    message: `The agent "${command}" ${said}. ${outcomes[phase]} ${known} ${fix}${after}`
  })
}

/** Makes the failure of an agent that asks for a sign-in at a prompt: with a key, that key is refused. */
export const refused = (
  command: string,
  error: JsonRpc.RpcError,
  known: {
    readonly methods: ReadonlyArray<Method>
    readonly credentials: Credentials
    /** What the agent reported of the refusal. */
    readonly report: string | undefined
  }
): AgentFailure.AgentFailure => {
  const { credentials, methods, report } = known
  const keys = [...credentials.variables].filter((name) => /key|token|secret|credential/i.test(name))
  if (keys.length === 0 && report === undefined)
    return failure(command, "working", asked(error, credentials), methods, credentials)
  const said = report === undefined ? "" : ` It reported: "${shown(report, 500)}".`
  const what =
    keys.length === 0
      ? "its key"
      : keys
          .slice(0, 5)
          .map((name) => shown(name))
          .join(" or ")
  return new AgentFailure.AgentFailure({
    reason: "sign_in",
    message: `The agent "${command}" asks for a sign-in (${shown(error.explanation, 500)}), although it had begun to work.${said} ${outcomes.working} Most likely the service of its model refuses ${what}: it is wrong, has expired, or does not allow this model. The operator has to correct it. ${sendAgain}`
  })
}

const outcomes: Readonly<Record<AgentFailure.Phase, string>> = {
  starting: "Nothing was done and nothing was charged.",
  working: "What it had done until then stays; nothing was charged."
}

const sendAgain = "When that is put right, send your message again."

/** What the agent says when it asks for a sign-in, as a clause. */
export const asked = (error: JsonRpc.RpcError, { method }: Credentials): string =>
  `asks for a sign-in${method === undefined ? "" : ` although the operator named "${shown(method)}"`} (${shown(error.explanation, 500)})`

/** Tells whether an error asks for a sign-in. */
export const isAskedBy = (error: { readonly _tag: string }): error is JsonRpc.RpcError =>
  error._tag === "RpcError" && "code" in error && error.code === JsonRpc.ErrorCode.authenticationRequired

const needOf = (method: unknown): Need => {
  const meta = field(method, "_meta")
  const type = stringField(method, "type") ?? stringField(meta, "type")
  if (type === "terminal" || isRecord(field(meta, "terminal-auth"))) return { _tag: "Terminal" }
  if (type === "env_var") return { _tag: "Variables", required: requiredOf(field(method, "vars")) }
  const key = field(meta, "api-key")
  return isRecord(key) ? { _tag: "ApiKey", provider: stringField(key, "provider") } : { _tag: "Unknown" }
}

const requiredOf = (variables: unknown): ReadonlyArray<string> =>
  (Array.isArray(variables) ? variables : []).flatMap((variable: unknown) => {
    const name = stringField(variable, "name")
    return name === undefined || field(variable, "optional") === true ? [] : [name]
  })

/** A method with an API key names no variable, so any key that the operator passes counts. */
const isReady = (need: Need, variables: ReadonlySet<string>): boolean => {
  if (need._tag === "Variables") return need.required.length > 0 && need.required.every((name) => variables.has(name))
  return need._tag === "ApiKey" && [...variables].some((name) => /API_?KEY$/i.test(name))
}

const needs = (need: Need): string => {
  switch (need._tag) {
    case "Unknown":
      return "the agent does not say what it needs"
    case "Terminal":
      return "needs a terminal"
    case "Variables":
      return need.required.length === 0
        ? "needs no variable"
        : `needs ${need.required.map((name) => shown(name)).join(", ")}`
    case "ApiKey":
      return `needs the API key${need.provider === undefined ? "" : ` of ${shown(need.provider)}`} in a variable that the agent does not name`
  }
}

const shown = (text: string, length = 120): string =>
  text.replace(/\s+/g, " ").trim().replace(/[.!]$/, "").slice(0, length)
