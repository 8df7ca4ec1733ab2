/** The text with traditional characters that requests are made of in their simplified form. */
export const simplified = (text: string): string =>
  text.replace(TRADITIONAL, (character) => SIMPLIFIED[CHARACTERS.indexOf(character)] ?? character)

const CHARACTERS = [
  ..."總結圖畫統計過濾顯沒數據異複無個這麼請幫裡裏標題連鏈詞頻還為開頭間後組長來說問會對與從條記錄報單檔看見變趨勢點線餅圓佈欄訊項務節讀寫繪製給讓將關係較時應該樣謝價額"
]
const SIMPLIFIED = [
  ..."总结图画统计过滤显没数据异复无个这么请帮里里标题连链词频还为开头间后组长来说问会对与从条记录报单档看见变趋势点线饼圆布栏讯项务节读写绘制给让将关系较时应该样谢价额"
]
const TRADITIONAL = new RegExp(`[${CHARACTERS.join("")}]`, "gu")
