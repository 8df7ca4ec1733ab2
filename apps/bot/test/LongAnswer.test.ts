import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Pages from "@heddle/bot/text/Pages"
import { launch, missing, pictures } from "@heddle/test-support/Chromium"
import { withStack } from "./support/Stack.ts"

const code = Array.from({ length: 40 }, (_, n) => `  const value${n} = compute(${n}) // \`${n}\``).join("\n")

const documents = {
  report: `# What the file says

There are **500 rows**, asked for by @everyone and <@123456789012345678>. See [the guide](https://example.com/guide)
or https://example.com/plain.

| region | orders | revenue |
|:--|--:|--:|
${Array.from({ length: 24 }, (_, n) => `| R${n} | ${n * 37} | ${n * 1234}.50 |`).join("\n")}

## What to do next

${"1. Look at the **largest** region first; it is where `price` changed.\n   - then at the others\n".repeat(8)}
${"A paragraph of some length that says what was found, and why it is so. ".repeat(12)}

| step | who does it | what it changes |
|---|---|---|
| one | the people who keep the data | prices are rounded to full cents before they are added |
| two | nobody | nothing |
`,
  code: `Here it is:

~~~ts
export const all = () => {
${code}
}
~~~

> A quote with code:
> \`\`\`sh
> npm install
> \`\`\`
> and its end.

How to write a fence:

\`\`\`\`md
\`\`\`js
nested()
\`\`\`
\`\`\`\`

${"Then **run it** and ~~wait~~ look. ".repeat(60)}
`,
  world: `## 报告

${"这是一个很长的段落，用来检查中文的分页。每一句都应该完整。".repeat(90)}

${"👩‍👩‍👧‍👦🇩🇪👍🏽 e\u0301 ".repeat(150)}

${Array.from({ length: 30 }, (_, n) => `- **第${n}项** with \`code ${n}\`\n  - 子项 ||secret ${n}||`).join("\n")}
`
}

/** A document three times, which has more than three pages. */
const textOf = (name: string) => documents[name as keyof typeof documents].repeat(3)

describe("a long answer", () => {
  it(
    "is shown page by page in its original form, and once as a file",
    () =>
      withStack(
        async (turn) => {
          const text = textOf(turn.text)
          for (let at = 0; at < text.length; at += 700) {
            turn.say(text.slice(at, at + 700))
            await new Promise((resolve) => setTimeout(resolve, 5))
          }
          return "end_turn"
        },
        async ({ emulator, shows, start }) => {
          for (const name of Object.keys(documents)) {
            const text = textOf(name)
            const thread = await start(name)
            await shows(thread, /done ·/)
            const shown = emulator
              .messages(thread)
              .filter(({ author, content }) => author.bot === true && content !== "")
            const pages = Pages.split(text)
            assert.isAbove(pages.length, 3)
            assert.deepEqual(
              shown.slice(0, pages.length).map(({ content }) => content),
              pages.map(({ content }) => content)
            )
            // No previews of links, and no mentions.
            for (const message of shown) {
              assert.strictEqual((message.flags ?? 0) & 4, 4)
              assert.deepEqual(message.mentions, [])
              assert.isFalse(message.mention_everyone)
            }
            const files = shown.flatMap(({ attachments }) => attachments)
            assert.strictEqual(files.length, 1)
            assert.match(files[0]!.filename, new RegExp(`^${name}-[\\d-]+\\.md$`))
            assert.strictEqual(await (await fetch(files[0]!.url)).text(), text)
            if (pictures === undefined || missing) continue
            await mkdir(pictures, { recursive: true })
            const browser = await launch()
            try {
              const page = await browser.newPage({ viewport: { width: 900, height: 4200 }, colorScheme: "dark" })
              await page.goto(`${emulator.page}#/${thread}`)
              await page
                .getByText(/^done ·/)
                .first()
                .waitFor()
              await page.screenshot({ path: join(pictures, `${name}.png`) })
            } finally {
              await browser.close()
            }
          }
        }
      ),
    120_000
  )

  it("shows its last text for every end of the turn", { timeout: 60_000 }, () =>
    withStack(
      async (turn) => {
        turn.say("Run this:\n```npm install foo --save")
        if (turn.text === "wait") await turn.cancelled
        return turn.text === "wait" ? "cancelled" : turn.text
      },
      async ({ emulator, shows, start, you }) => {
        for (const [prompt, end] of [
          ["end_turn", /done ·/],
          ["max_tokens", /limit ·/],
          ["wait", /stopped ·/]
        ] as const) {
          const thread = await start(prompt)
          if (prompt === "wait") {
            await shows(thread, /Run this:/)
            await you.send(thread, "stop")
          }
          await shows(thread, end)
          const said = emulator.messages(thread).find(({ content }) => content.startsWith("Run this:"))
          assert.match(said?.content ?? "", /^Run this:\n```\nnpm install foo --save\n```\n-# .*$/)
        }
      }
    )
  )
})
