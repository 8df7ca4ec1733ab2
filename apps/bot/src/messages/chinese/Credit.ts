import type { Messages } from "../Messages.ts"

export const credit: Messages["credit"] = {
  title: "你的积分",
  balance: (left, used, total) => `剩余 **${left}** · 已用 ${used}，共 ${total}`,
  usedShare: (percent) => `已用 ${Math.round(percent)} %`,
  lowWarning: "⚠️ 剩余不超过五分之一。用 `/redeem code` 或 `/redeem voucher` 增加积分。",
  hint: (gone) =>
    `⚠️ 你的积分${gone ? "已用完" : "不多了：剩余不超过五分之一"}。用 \`/credit\` 查看，用 \`/redeem code\` 增加积分。`
}
