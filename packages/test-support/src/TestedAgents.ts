import * as Fs from "node:fs"
import { join } from "node:path"
import * as AgentRecipes from "./AgentRecipes.ts"

/** An agent of the guide, led to a fake model. */
export interface TestedAgent extends Pick<AgentRecipes.AgentRecipe, "name" | "command" | "namespaces" | "problem"> {
  /** `agentInfo.name`; undefined for an agent that sends none. */
  readonly agentName: string | undefined
  /** The variables of its recipe, and those that lead it to the model at this address. */
  readonly environment: (model: string) => Readonly<Record<string, string>>
  /** The mode to choose so that it asks before it writes; undefined where it begins so. */
  readonly askingMode?: string
  /** A mode to change to; in that mode it writes unasked, unless it `asksThere`. */
  readonly otherMode: string
  readonly asksThere?: boolean
  /** What the test does with the task's folder while the service is stopped. */
  readonly whileStopped?: (folder: string) => void
  /** Whether it gives pictures to a model that it does not know. */
  readonly pictures: boolean
  /** How it tells that its model's service refuses a request; `late` only after a minute of repetitions. */
  readonly modelError: "error" | "late"
  /** How a turn ends in which a tool was denied. */
  readonly afterDenial: "cancelled" | "end_turn"
}

/** Reads the recipes of the guide; each must be known here. */
export const read = (): ReadonlyArray<TestedAgent> =>
  AgentRecipes.read().map(({ environment, ...recipe }) => {
    const known = agents[recipe.name]
    if (known === undefined) throw new Error(`the guide has a recipe for ${recipe.name}, which the tests do not know`)
    const { model: ofModel, ...rest } = known
    return {
      ...recipe,
      pictures: true,
      afterDenial: "end_turn",
      ...rest,
      environment: (url) => complete(recipe.name, { ...environment, ...ofModel(url) })
    }
  })

const complete = (name: string, values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([variable, value]) => {
      if (value === undefined) throw new Error(`the tests have no value for ${variable} of ${name}`)
      return [variable, value]
    })
  )

interface Known extends Pick<
  TestedAgent,
  "agentName" | "askingMode" | "modelError" | "otherMode" | "asksThere" | "whileStopped"
> {
  readonly model: (url: string) => Readonly<Record<string, string>>
  readonly pictures?: boolean
  readonly afterDenial?: "cancelled"
}

const agents: Readonly<Record<string, Known>> = {
  "Claude Code": {
    agentName: "@agentclientprotocol/claude-agent-acp",
    model: (url) => ({ ANTHROPIC_API_KEY: "fake", ANTHROPIC_BASE_URL: url }),
    modelError: "error",
    askingMode: "default",
    otherMode: "acceptEdits"
  },
  Codex: {
    agentName: "@agentclientprotocol/codex-acp",
    model: (url) => ({
      OPENAI_API_KEY: "fake",
      CODEX_CONFIG: JSON.stringify({
        model_provider: "fake",
        model_providers: { fake: { name: "fake", base_url: `${url}/v1`, requires_openai_auth: true } }
      })
    }),
    modelError: "error",
    otherMode: "workspace-write",
    afterDenial: "cancelled"
  },
  OpenCode: {
    agentName: "OpenCode",
    model: (url) => ({
      ANTHROPIC_API_KEY: "fake",
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: "fake/fake",
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: "fake" },
            models: { fake: { name: "Fake", modalities: { input: ["text", "image"], output: ["text"] } } }
          }
        }
      })
    }),
    modelError: "late",
    otherMode: "plan",
    asksThere: true
  },
  CodeBuddy: {
    agentName: undefined,
    model: (url) => ({ CODEBUDDY_API_KEY: "fake", CODEBUDDY_BASE_URL: `${url}/v1` }),
    modelError: "error",
    otherMode: "acceptEdits",
    afterDenial: "cancelled"
  },
  "Gemini CLI": {
    agentName: "gemini-cli",
    model: (url) => ({ GEMINI_API_KEY: "fake", GOOGLE_GEMINI_BASE_URL: url }),
    modelError: "error",
    otherMode: "autoEdit",
    whileStopped: (folder) => beginSessionsEarlier(folder)
  },
  "Qwen Code": {
    agentName: "qwen-code",
    model: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "fake", OPENAI_MODEL: "fake" }),
    modelError: "error",
    otherMode: "auto-edit",
    pictures: false
  }
}

/** Gemini CLI overwrites a session that is loaded in the very minute of the clock in which it began. */
const beginSessionsEarlier = (folder: string) => {
  for (const name of Fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/chats.session-.*[.]jsonl$/.test(name)) continue
    const earlier = name.replace(/T\d\d-\d\d/, (time) => (time === "T00-00" ? "T00-01" : "T00-00"))
    Fs.renameSync(join(folder, name), join(folder, earlier))
  }
}
