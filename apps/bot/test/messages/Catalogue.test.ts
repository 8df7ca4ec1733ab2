import { assert, describe, it } from "@effect/vitest"
import { commands, menu } from "@heddle/bot/commands/Commands"
import { definitions } from "@heddle/bot/commands/Definitions"
import { commandPaths, commandsTyped } from "@heddle/bot/messages/CommandPaths"
import { explain } from "@heddle/bot/messages/Explain"
import { withMentions } from "@heddle/bot/messages/CommandMentions"
import type { Messages } from "@heddle/bot/messages/Messages"
import { chinese, english, forBrowser, forLocale } from "@heddle/bot/messages/Translations"
import * as OpenApiError from "@heddle/core/OpenApiError"
import { entries, id } from "./Samples.ts"

/** Neither words nor the same in every language. */
const wordless =
  /^between$|^reading\.changed$|^requestCards\.titleWithKind$|^help\.command$|^help\.topics\.commands\.text$|^agent\.commandLine$|emojiName$|^page\.language$|^turnPosts\.tokens$/

const mayBeEmpty = /^between$|^reading\.changed$|^help\.topics\.commands\.text$/
/** What the service says about its agent has the effect and the next step already. */
const saidByService = /^failures\.serviceReported\.(changed|next)$/

const both = [
  ["English", english],
  ["Chinese", chinese]
] as const

describe("the texts", () => {
  for (const [name, messages] of both) {
    it(`in ${name}: fit a message, are in their language, and escape Markdown in names`, () => {
      const ids = Object.fromEntries(
        ["artifacts", "task", "connect", "disconnect", "credit", "settings", "redeem", "assistant", "help"].map(
          (command) => [command, id]
        )
      )
      for (const { path, text } of entries(withMentions(messages, ids))) {
        for (const [, command] of text.matchAll(/(?<!\\)(?:`|<)\/([a-z][a-z -]*)[`:]/g)) {
          assert.isTrue(
            commands.some((known) => known.path === command),
            `${path} names /${command}`
          )
        }
        assert.isAtMost(text.length, 2000, path)
        if (!mayBeEmpty.test(path) && !saidByService.test(path)) assert.notStrictEqual(text.trim(), "", path)
        for (const sign of ["**b**", "<@1>", "`c`", "[l](u)", "~~s~~", "||p||"]) {
          assert.isFalse(text.split(`\\${sign}`).join("").includes(sign), `${path}: ${text}`)
        }
        if (wordless.test(path) || saidByService.test(path)) continue
        const han = /\p{Script=Han}/u.test(text)
        assert.strictEqual(han, name === "Chinese", `${path}: ${text}`)
      }
    })

    it(`in ${name}: stay within Discord's short limits`, () => {
      for (const { path, text } of entries(messages)) {
        const most = shortest.find(([where]) => where.test(path))?.[1]
        if (most !== undefined) assert.isAtMost(text.length, most, path)
      }
    })

    it(`in ${name}: explain a failure with its effect and the next step`, () => {
      const parts = new Set<string>()
      for (const { path, text } of entries(messages)) {
        if (!/^(errors|failures)\./.test(path) || saidByService.test(path)) continue
        assert.match(path, /\.(happened|changed|next)$/, path)
        // The samples of words that come from elsewhere are no sentences.
        assert.match(text, /[.!?。！？]$|: 7$|：7$/, `${path}: ${text}`)
        parts.add(path)
      }
      const errors = new Set(Object.values(OpenApiError).flatMap((each) => (isError(each) ? [each._tag] : [])))
      for (const tag of errors)
        assert.includeMembers(
          [...parts],
          [`${tag}`].map(() => `errors.${tag}.next`),
          tag
        )
      assert.isAtLeast(errors.size, 20)
    })

    it(`in ${name}: say whether a failure charged anything, and name the remedy's command`, () => {
      const charged = name === "English" ? /charge|cost/ : /扣除积分|计费/
      for (const { path, text } of entries(messages)) {
        if (
          /^(errors|failures)\.\w+\.changed$/.test(path) &&
          !/\.(internal|otherAccount|serviceReported)\./.test(path)
        ) {
          assert.match(text, charged, path)
        }
        // Waiting helps where the service is away or busy; and the bot is set up by who runs it.
        if (
          /^errors\.\w+\.next$/.test(path) &&
          !/\.(InvalidClient|InvalidScope|RateLimited|ServiceFailure|Unreachable)\./.test(path)
        ) {
          assert.match(text, /`\/[a-z ]+`/, path)
        }
      }
    })
  }

  it("have the same keys in both languages", () => {
    const paths = (messages: Messages) => entries(messages).map(({ path }) => path)
    assert.deepEqual(paths(chinese), paths(english))
  })

  it("resemble a command for every typed form", () => {
    assert.sameMembers(
      [...commandPaths],
      commands.map(({ path }) => path)
    )
    assert.deepEqual(commandsTyped("/task stop now"), ["task stop"])
    assert.deepEqual(commandsTyped("／Help"), ["help"])
    assert.deepEqual(
      commandsTyped("/assistant"),
      commandPaths.filter((path) => path.startsWith("assistant "))
    )
    assert.deepEqual(commandsTyped("/tasks/new is a path, /task is not one"), [])
    assert.deepEqual(commandsTyped("use /task stop"), [])
  })

  it("show the service's words and request id in private, and no account details in public", () => {
    const error = new OpenApiError.AccessDenied({
      code: "access_denied",
      description: "13900000000 has *no* credits left.",
      requestId: "req-1`2"
    })
    const alone = explain(english, error)
    assert.match(
      alone,
      /13900000000 has \\\*no\\\* credits left\. Nothing was changed or charged\. `\/credit`[^]*\n-# request req-1\\`2$/
    )
    const shown = explain(chinese, error, "everybody")
    assert.notInclude(shown, "139")
    assert.match(shown, /没有扣除积分。[^]*\n-# 请求编号 req-1/)
    const missing = new OpenApiError.InsufficientScope({
      code: "insufficient_scope",
      description: "",
      required: ["user.credit.exchange", "user.new.readable"]
    })
    assert.match(explain(english, missing), /may not redeem codes for you and user\.new\.readable\./)
  })

  it("of reads and failed redemptions mention only what applies to them", () => {
    const refusal = { code: "refused", description: "" }
    const errors = [
      new OpenApiError.AccessDenied(refusal),
      new OpenApiError.InvalidRequest(refusal),
      new OpenApiError.RateLimited(refusal),
      new OpenApiError.InsufficientScope({ ...refusal, required: ["user.credit.exchange"] }),
      new OpenApiError.Reauthorize({ reason: "gone" }),
      new OpenApiError.Unreachable({ operation: "credits", reason: "down" }),
      new OpenApiError.OutcomeUnknown({ operation: "credits", reason: "cut" })
    ]
    for (const error of errors) {
      const read = explain(english, error, "person", "read")
      assert.notMatch(read, /changed|charged|worked|task list/, error._tag)
      assert.notMatch(explain(chinese, error, "person", "read"), /改动|扣除|生效|task list/, error._tag)
      assert.match(read, /(try again|support|button)[^.]*\.$/i, error._tag)
    }
    for (const error of errors.slice(0, -1)) {
      const redeem = explain(english, error, "person", "redeem")
      assert.match(redeem, /\. Nothing was redeemed, and what you typed was not used up\. \S/, error._tag)
      assert.notMatch(redeem, /changed|charged|task list/, error._tag)
    }
  })

  it("contain command mentions where ids are known", () => {
    const { noTasks, status } = withMentions(english, { task: id })
    assert.include(noTasks, `</task new:${id}>`)
    assert.include(withMentions(english, {}).noTasks, "`/task new`")
    assert.notInclude(status("a `/task new` b", "idle", 0), id)
  })

  it("follow the locale of Discord and of a browser", () => {
    assert.strictEqual(forLocale("zh-CN"), chinese)
    assert.strictEqual(forLocale("zh-TW"), english)
    assert.strictEqual(forLocale("de"), english)
    assert.strictEqual(forBrowser("zh-Hans;q=0.9,en;q=0.8"), chinese)
    assert.strictEqual(forBrowser("de, en-GB, zh-CN"), english)
    assert.strictEqual(forBrowser(undefined), english)
  })
})

describe("the registered commands", () => {
  it("stay within Discord's limits in every language", () => {
    const all = definitions(commands, menu)
    assert.isAtMost(all.filter(({ type }) => type === undefined || type === 1).length, 100)
    for (const command of all) {
      assert.isAtMost(size(command), 8000, command.name)
      eachPart(command, (part) => {
        const where = `${command.name}: ${part.name}`
        for (const [key, most] of [
          ["description", 100],
          ["name", part.value === undefined ? 32 : 100]
        ] as const) {
          const text = part[key]
          const translated = part[`${key}_localizations`]
          if (text === undefined) continue
          for (const words of [text, ...Object.values(translated ?? {})]) {
            assert.isTrue(words.length >= 1 && words.length <= most, `${where}: ${words}`)
          }
          if (key === "description") assert.match(translated?.["zh-CN"] ?? "", /\p{Script=Han}/u, where)
        }
      })
    }
  })
})

const shortest: ReadonlyArray<readonly [RegExp, number]> = [
  [/^commands\.startWithMessage$/, 32],
  [/^help\.topics\..*\.title$/, 100],
  [/^commands\./, 100],
  [/^statusTags\..*\.name$/, 20],
  [/^requestCards\.(option|choose|chooseSome)$/, 100],
  [/^requestCards\.writeTitle$/, 45],
  [/^requestCards\.(accept|back|decline|next|other|pageBack|pageOn|send|skip|write)$/, 38],
  [/^connecting\.(allow|enterCode)$/, 38],
  [
    /^(connecting\.codeLabel|redeem\.(codeTitle|voucherTitle|code|cardNumber|cardSecret)|profile\.(phone|phoneTitle))$/,
    45
  ],
  [/^(connecting\.codeDescription|redeem\.secretHint|profile\.phoneHint)$/, 100],
  [/^settings\.(allow|deny|remove)$|^pager\.(back|on)$/, 38],
  [/^settings\.capabilities\..*\.(label|description)$/, 100],
  [/^settings\.(what|who|where)Hint$/, 150],
  [/[bB]utton$/, 80]
]

const isError = (value: unknown): value is { readonly _tag: string } =>
  typeof value === "function" && "_tag" in value && typeof value._tag === "string"

interface Part {
  readonly name: string
  readonly description?: string
  readonly value?: unknown
  readonly name_localizations?: Readonly<Record<string, string>> | null
  readonly description_localizations?: Readonly<Record<string, string>> | null
  readonly options?: ReadonlyArray<Part>
  readonly choices?: ReadonlyArray<Part>
}

const eachPart = (value: object, look: (part: Part) => void): void => {
  const part = value as Part
  look(part)
  for (const inner of [...(part.options ?? []), ...(part.choices ?? [])]) eachPart(inner, look)
}

/** Names, descriptions and values, in whichever language is longest. */
const size = (command: object): number => {
  let sum = 0
  eachPart(command, (part) => {
    const longest = (text = "", translated: Part["name_localizations"]) =>
      Math.max(text.length, ...Object.values(translated ?? {}).map(({ length }) => length))
    sum += longest(part.name, part.name_localizations) + longest(part.description, part.description_localizations)
    sum += typeof part.value === "string" ? part.value.length : 0
  })
  return sum
}
