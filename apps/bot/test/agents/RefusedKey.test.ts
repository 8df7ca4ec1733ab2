import { scriptedAgent } from "@heddle/test-support/Agents"
import { assert, describe, it } from "@effect/vitest"
import { withRealStack } from "../support/RealStack.ts"

const variable = "HEDDLE_TEST_KEY"
const command = [process.execPath, scriptedAgent, "auth-later"]
const server = { agents: [{ command, environment: [variable], isolation: "none" }] } as const

const reported = `update ${JSON.stringify({ sessionUpdate: "notice", severity: "warning", title: "unexpected status 401 Unauthorized" })}`

/** What is read where the agent says it as a sign-in, and where it says it in its own words. */
const languages = {
  "en-US": {
    failed: "This did not work",
    signIn:
      /The service reported: The agent "[^"]*" asks for a sign-in[^\n]*reported: "unexpected status 401 Unauthorized"[^\n]*refuses HEDDLE_TEST_KEY[^\n]*send your message again\.\n/,
    reported:
      /The agent reported: status 403 Forbidden\. What was done[^\n]* Most likely the service of its model refuses the agent's key\. If so, the operator of the service has to correct it before another message helps\.\n/,
    other: /The agent reported: the model is overloaded\. [^\n]*You can send another message here\.\n/,
    chinese: /模型过载。 What was done/
  },
  "zh-CN": {
    failed: "这次没有成功",
    signIn:
      /智能体需要登录，或其模型的服务拒绝了它的密钥。需要由此服务的运营者更正。服务报告：The agent "[^"]*" asks for a sign-in[^\n]*refuses HEDDLE_TEST_KEY[^\n]*\n/,
    reported:
      /智能体报告：status 403 Forbidden\. 此前完成的内容[^\n]*很可能是其模型的服务拒绝了智能体的密钥。如果是这样，需要由此服务的运营者更正，之后再发消息才有用。\n/,
    other: /智能体报告：the model is overloaded\. 此前[^\n]*你可以在这里继续发消息。\n/,
    chinese: /智能体报告：模型过载。此前完成/
  }
} as const

describe("an agent whose key the service of its model refuses", () => {
  for (const [language, words] of Object.entries(languages))
    it(`says so at the first message and at later ones, with who can help (${language})`, () => {
      process.env[variable] = "a-key-that-is-refused"
      return withRealStack(
        async ({ ask, emulator, firstThread, link, you }) => {
          await ask("settings language", { language })
          await link(await ask("task new", { prompt: `${reported}\nunauthorized` }))
          const { thread } = await firstThread(20_000)
          let count = 0
          const fails = async (said: RegExp) => {
            count++
            const text = await emulator.waitFor(
              (e) => {
                const transcript = e.transcript(thread.id)
                return transcript.split(words.failed).length > count && `${transcript}\n`
              },
              { what: `failure ${count}`, timeoutMs: 20_000 }
            )
            const last = text.slice(text.lastIndexOf(words.failed))
            assert.match(last, said)
            assert.notInclude(last, "a-key-that-is-refused")
          }
          await fails(words.signIn)
          for (const [message, said] of [
            ["fail status 403 Forbidden", words.reported],
            ["fail", words.other],
            ["fail 模型过载。", words.chinese]
          ] as const) {
            await you.send(thread.id, message)
            await fails(said)
          }
        },
        { server }
      )
    }, 60_000)
})
