import { simplified } from "../format/Simplified.ts"

/** What a message without a request is. */
export type Courtesy = "greeting" | "thanks" | "praise" | "agreement" | "farewell" | "help"

/** Finds a message that is in a short list as a whole, but for its signs and emoji; `undefined` for all others. */
export const findCourtesy = (message: string): Courtesy | undefined => {
  const text = simplified(message.normalize("NFKC")).replace(/<[@#][!&]?\d+>/g, " ")
  if (text.trim() === "?") return "help"
  if (!/[\p{L}\p{N}]/u.test(text)) return /\p{Extended_Pictographic}/u.test(text) ? "agreement" : undefined
  const parts = text
    .toLowerCase()
    .replace(/[’‘]/g, "'")
    .split(/[,.!?;~。、\n]+/)
    .map((part) =>
      part
        .replace(/[^\p{L}\p{N}' ]+/gu, "")
        .replace(/\s+/g, " ")
        .trim()
    )
    .filter((part) => part !== "")
  const kinds = parts.map((part) => KINDS.get(part))
  return kinds.includes(undefined) ? undefined : ORDER.find((kind) => kinds.includes(kind))
}

/** "Ok, thanks" is thanks, and "thanks, bye" a goodbye. */
const ORDER = ["help", "farewell", "thanks", "praise", "greeting", "agreement"] as const

const KINDS: ReadonlyMap<string, Courtesy> = new Map(
  Object.entries({
    greeting:
      "hello|hi|hey|hello there|hi there|hey there|good morning|good afternoon|good evening|how are you|are you there|nice to meet you|" +
      "你好|您好|大家好|嗨|哈喽|早|早上好|上午好|下午好|晚上好|在吗|在不在|你在吗",
    thanks:
      "thanks|thank you|thank you very much|thank you so much|thanks a lot|many thanks|thx|ty|cheers|no thanks|no thank you|thanks for your help|" +
      "thank you for your help|谢谢|谢谢你|谢谢您|多谢|非常感谢|感谢|谢了|辛苦了|谢谢你的帮助|不用了谢谢|好的谢谢",
    praise:
      "great|nice|perfect|cool|awesome|excellent|wonderful|amazing|good job|great job|nice work|great work|well done|very good|very nice|" +
      "looks good|looks great|that's great|that's nice|wow|太好了|太棒了|很好|不错|很棒|真棒|厉害|完美|赞|干得好",
    agreement:
      "ok|okay|k|alright|all right|fine|got it|i see|understood|yes|no|yep|sure|never mind|好|好的|行|可以|明白|明白了|知道了|了解|收到|嗯|没问题|是的|对|没事",
    farewell: "bye|goodbye|bye bye|see you|see you later|good night|再见|拜拜|晚安|回头见",
    help: "help|help me|what can you do|what can i do|what can i ask|how does this work|what do you understand|帮助|帮忙|你能做什么|你会什么|你会做什么|能做什么|怎么用"
  } satisfies Record<Courtesy, string>).flatMap(([kind, words]) =>
    words.split("|").map((each) => [each, kind as Courtesy] as const)
  )
)
