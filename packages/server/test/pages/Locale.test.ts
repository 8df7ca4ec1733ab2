import { assert, describe, it } from "@effect/vitest"
import { chinese } from "@heddle/server/http/pages/Chinese"
import { english } from "@heddle/server/http/pages/English"
import { Html } from "@heddle/server/http/pages/Html"
import * as Locale from "@heddle/server/http/pages/Locale"
import * as Effect from "effect/Effect"
import * as Browser from "../support/Browser.ts"
import * as TestServer from "../support/TestServer.ts"

const languageOf = (header: string | undefined, locales: string | null = null) =>
  Locale.messagesFor({ headers: header === undefined ? {} : { "accept-language": header } } as never, locales).language

/** Every text with the place where it stands; what the texts are made of is "7". */
const texts = (value: unknown, path = ""): ReadonlyArray<readonly [path: string, text: string]> => {
  if (typeof value === "string") return [[path, value]]
  if (value instanceof Html) return [[path, value.markup]]
  if (typeof value === "function") return texts(Reflect.apply(value, undefined, ["7", "7"]), path)
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => texts(inner, `${path}.${name}`))
    : []
}

describe("the texts of the pages", () => {
  it("use the requested language, then the browser's, then English", () => {
    assert.deepStrictEqual(
      [
        "zh-CN,zh;q=0.9,en;q=0.8",
        "en;q=0.5, zh-Hans;q=0.8",
        "de, zh",
        "zh;q=0, fr",
        "zh-TW, fr",
        "x;q=y",
        undefined
      ].map((header) => languageOf(header)),
      ["zh-CN", "zh-CN", "zh-CN", "en", "en", "en", "en"]
    )
    assert.strictEqual(languageOf("en", "fr zh-CN en"), "zh-CN")
    assert.strictEqual(languageOf("zh-CN", "fr"), "zh-CN")
    assert.strictEqual(languageOf("zh-CN", "en-GB"), "en")
  })

  it("exist in both languages", () => {
    const own = /^\.(language|dates)$|\.status$/
    assert.deepStrictEqual(
      texts(chinese).map(([path]) => path),
      texts(english).map(([path]) => path)
    )
    for (const [path, text] of texts(chinese)) if (!own.test(path)) assert.match(text, /\p{Script=Han}/u, path)
    for (const [path, text] of texts(english)) if (!own.test(path)) assert.notMatch(text, /\p{Script=Han}/u, path)
  })

  it.scopedLive("are Chinese from sign-in to the redirect, errors included", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const browser = Browser.make(server.url)
      browser.headers.set("accept-language", "zh-CN,zh;q=0.9")
      const signIn = yield* browser.get(Browser.authorizePath(server))
      assert.match(signIn.text, /<html lang="zh-CN">/)
      assert.strictEqual(signIn.headers.get("content-language"), "zh-CN")
      assert.include(Browser.words(signIn), "以继续使用 Loom")
      const wrong = yield* browser.press(signIn, "sign_in", { name: "Ada", password: "wrong" })
      assert.include(Browser.words(wrong), "账号名或密码不正确")
      const stale = yield* browser.press(signIn, "sign_in", { form_token: "other" })
      assert.include(Browser.words(stale), "此页已过期")
      const unknown = yield* browser.get(Browser.authorizePath(server, { client_id: "nobody" }))
      assert.include(Browser.words(unknown), "这个链接无效")

      const done = yield* browser.press(wrong, "sign_in", { name: "Ada", password: "correct horse" })
      const consent = yield* browser.get(done.headers.get("location") ?? "")
      const said = Browser.words(consent)
      assert.include(said, "允许 Loom 使用你的账号吗？")
      assert.include(said, "查看你的任务")
      assert.notMatch(said, /account|Allow|Cancel/)

      // What the application asks for wins, and stays with the request.
      const inEnglish = yield* browser.get(Browser.authorizePath(server, { ui_locales: "en" }))
      assert.match(inEnglish.text, /<html lang="en">[^]*name="ui_locales" value="en"/)
      const back = yield* browser.press(consent, "allow")
      assert.include(back.headers.get("location") ?? "", "code=oa_code_")
      const apps = yield* browser.get("/connected-apps")
      assert.match(Browser.words(apps), /已连接的应用[^]*连接日期 ?20\d\d年/)
    })
  )
})
