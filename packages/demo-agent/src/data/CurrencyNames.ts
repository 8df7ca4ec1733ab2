/** The one name of a currency, however it is written: "eur", "Euro", "€" and 978 are EUR; `undefined` for other texts. */
export const currencyName = (text: string): string | undefined => NAMES.get(text.trim().toLowerCase())

/** ISO code, ISO number, and other names; "$", "¥" and "kr" are those of several currencies and stay what they are. */
const CURRENCIES = (
  "EUR 978 € euro euros 欧元|USD 840 us$ dollar dollars 美元 美金|GBP 826 £ 英镑|JPY 392 jp¥ yen 日元|CHF 756 sfr 瑞士法郎|" +
  "CNY 156 cn¥ rmb yuan 人民币 元|INR 356 ₹|KRW 410 ₩ 韩元|RUB 643 ₽ 卢布|TRY 949 ₺|PLN 985 zł|CZK 203 kč|HUF 348|SEK 752|NOK 578|" +
  "DKK 208|ISK 352|RON 946|BGN 975|UAH 980 ₴|CAD 124 c$ ca$ 加元|AUD 036 a$ au$ 澳元|NZD 554 nz$|HKD 344 hk$ 港币 港元|SGD 702 s$ 新加坡元|" +
  "TWD 901 nt$ 新台币|THB 764 ฿ 泰铢|IDR 360|MYR 458|PHP 608 ₱|VND 704 ₫|BRL 986 r$|MXN 484|ARS 032|CLP 152|COP 170|PEN 604|ZAR 710|" +
  "ILS 376 ₪|AED 784|SAR 682|QAR 634|KWD 414|EGP 818|MAD 504|NGN 566 ₦|KES 404|PKR 586|BDT 050|LKR 144|KZT 398"
)
  .split("|")
  .map((line) => line.split(" "))

/** The codes, and the signs that stand beside a number, as parts of a regular expression. */
export const codePattern = [...CURRENCIES.map(([code]) => code), "RMB", "kr"].join("|")
export const signPattern = String.raw`(?:US|AU?|CA?|HK|NZ|S|R|NT|CN)?\$|(?:CN|JP)?[¥￥]|[€£₹₽₩₺₴₫₪₦₱฿]|zł|Kč|人民币|美元|美金|欧元|英镑|日元|港币|港元|元`

const NAMES: ReadonlyMap<string, string> = new Map([
  ...CURRENCIES.flatMap((names) => names.map((name) => [name.toLowerCase(), names[0] ?? ""] as const)),
  ["$", "$"],
  ["¥", "¥"],
  ["￥", "¥"],
  ["kr", "kr"],
  // A number of ISO 4217 without its leading zero.
  ["36", "AUD"],
  ["32", "ARS"],
  ["50", "BDT"]
])
