import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as LocalAssistant from "@heddle/assistant/LocalAssistant"
import * as Effect from "effect/Effect"
import type { RealStack } from "./RealStack.ts"

/** Runs the assistant on the person's computer until the stack closes. */
export const runAssistant = async (
  { folder, run, server, userId }: RealStack,
  agentCommand: ReadonlyArray<string>
): Promise<void> => {
  const cwd = join(folder, "computer")
  mkdirSync(cwd, { recursive: true })
  const { assistantToken } = await run(server.assistants.create(userId, "PC"))
  await run(
    LocalAssistant.run({
      service: server.url,
      token: assistantToken,
      agentCommand,
      cwd,
      stateDir: join(folder, "state"),
      approve: "ask",
      terminal: { ask: () => Effect.never },
      turnSilence: "1 minute"
    })
  )
}
