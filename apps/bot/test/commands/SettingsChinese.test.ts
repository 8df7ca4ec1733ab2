import { assert, describe, it } from "@effect/vitest"
import { choosing, startTask } from "../support/Choices.ts"
import { withRealStack } from "../support/RealStack.ts"
import { setRule } from "../support/Settings.ts"

interface Answer {
  readonly content: string
  readonly embeds: ReadonlyArray<{
    readonly title?: string
    readonly description?: string
    readonly footer?: { readonly text: string }
  }>
  readonly components?: unknown
}

/** Everything that an answer says, without mentions, commands, names in bold, and numbers. */
const wordsOf = ({ components, content, embeds }: Answer): string => {
  const labels = JSON.stringify(components ?? []).matchAll(/"(?:label|placeholder|description)":"([^"]*)"/g)
  const texts = [
    content,
    ...embeds.flatMap(({ description, footer, title }) => [title ?? "", description ?? "", footer?.text ?? ""]),
    ...Array.from(labels, ([, label = ""]) => label)
  ]
  return texts.join("\n").replace(/<[^>]*>|\*\*[^*]*\*\*|`[^`]*`|Discord/g, " ")
}

const assertChinese = (path: string, answer: Answer) => {
  const words = wordsOf(answer)
  assert.match(words, /\p{Script=Han}/u, path)
  assert.notMatch(words, /[A-Za-z]{2,}/, `${path}: ${words}`)
}

describe("the private answers of `/settings`", () => {
  it(
    "are Chinese for a person who reads Chinese, also in an English server, and the log names all that they did",
    () =>
      withRealStack(
        async (stack) => {
          const { ask, emulator, you } = stack
          const channel = emulator.channelId
          await startTask(stack)
          await setRule(emulator, you, "deny", "approve")
          you.speak("zh-CN")
          const all = [
            ["settings show", {}],
            ["settings agent", {}],
            ["settings agent", { mode: "计划" }],
            ["settings agent", { mode: "plan", model: "large", option: "web", value: "开" }],
            ["settings agent", { agent: "codex", channel }],
            ["settings agent", { agent: "default", channel }],
            ["settings agent", { option: "effort", value: "high", for: "default" }],
            ["settings agent", { agent: "codex", for: "codex" }],
            ["settings agent", { agent: "无默认值", channel }],
            ["settings agent", { agent: "无默认值", channel }],
            ["settings show", {}],
            ["settings language", { language: "en-US" }],
            ["settings welcome", {}],
            ["settings access", {}],
            ["settings audit", {}]
          ] as const
          for (const [path, options] of all)
            assertChinese(`${path} ${JSON.stringify(options)}`, await ask(path, options))
          const audit = (await ask("settings audit")).embeds[0]?.description ?? ""
          for (const entry of [
            /选择了新任务的智能体以什么开始：.*模式 \*\*plan\*\*，模型 \*\*large\*\*，选项 \*\*web\*\* = \*\*on\*\*/,
            /新任务的智能体 \*\*default\*\* 以什么开始：.*选项 \*\*effort\*\* = \*\*high\*\*/,
            /禁止.*所有人/
          ])
            assert.match(audit, entry)
          // What everyone reads stays in the language of the server.
          assert.match(emulator.transcript(channel), /Hello! I run cloud tasks for you/)
        },
        choosing("modes", "models", "options")
      ),
    60_000
  )
})
