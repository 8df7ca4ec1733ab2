import { wordsOf } from "../format/Words.ts"

/** Finds a greeting, thanks or praise that asks for nothing; `undefined` for other texts. */
export const findCourtesy = (text: string): { readonly isThanks: boolean } | undefined => {
  const words = wordsOf(text.replace(/<@!?\d+>/g, " "))
  const isReaction = words.length === 0 && /\p{Extended_Pictographic}/u.test(text)
  const isCourtesy =
    words.some((word) => COURTESIES.has(word)) && words.every((word) => COURTESIES.has(word) || FILLER.has(word))
  if (!isReaction && !isCourtesy) return undefined
  return { isThanks: isReaction || THANKS.test(text) }
}

const THANKS = /thank|thx|cheers|danke|great|nice|perfect|cool|awesome|bye|谢|感谢|再见|好的/i
const COURTESIES = new Set(
  (
    "hi hello hey hiya morning afternoon evening thanks thank thx ty cheers bye goodbye ok okay great nice perfect cool awesome hallo danke " +
    "你好 您好 你好啊 嗨 早上好 晚上好 谢谢 谢谢你 谢谢您 多谢 感谢 再见 好的 好的谢谢"
  ).split(" ")
)
const FILLER = new Set(
  "good you very so much a lot for your the all there again everyone that this it is was work bot".split(" ")
)
