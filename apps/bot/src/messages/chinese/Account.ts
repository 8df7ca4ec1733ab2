import { plain } from "../../view/Fit.ts"
import type { Messages } from "../Messages.ts"

/** Redeeming codes and vouchers. */
export const redeem: Messages["redeem"] = {
  codeTitle: "兑换积分码",
  voucherTitle: "兑换礼品卡",
  code: "兑换码",
  voucherKey: "卡号",
  voucherCode: "卡密",
  onlyYou: "只有你能看到。内容只会发送给服务，不会显示在任何地方。",
  redeemed: (credits, flowNo) =>
    `✅ 已为你的账号增加 **${credits} 积分**。流水号：\`${plain(flowNo)}\`。用 \`/credit\` 查看积分。`,
  refused: "❌ 服务不接受：它不存在、已用完或已过期。这是最终结果，没有兑换任何内容。如果输错了，请再用一次这个命令。",
  refusedLate:
    "❌ 服务已不再接受：它不存在、已用完或已过期。这是最终结果。之前的尝试可能已经兑换成功：请用 `/credit` 查看积分。",
  untold: "服务已经处理过这次兑换，但没有告知结果。不会再次发送。请用 `/credit` 查看积分是否到账。",
  unknown:
    "⏳ 还不知道是否兑换成功：服务没有明确答复。我会自动再次查询，最多只会兑换一次。请不要重复输入；结果会在这里或通过私信告诉你。",
  pending: (flowNo) => `⏳ 服务已受理，但积分尚未到账。流水号：\`${plain(flowNo)}\`。我会自动再次查询并告诉你。`,
  givenUp:
    "一天之内仍无法确认是否兑换成功，所以不再查询，也不会再发送。请用 `/credit` 查看积分是否到账；如果没有，请联系服务的客服。",
  misfit: {
    code: "兑换码为 1 到 64 个字符。没有发送任何内容。请核对后再用一次这个命令。",
    giftKey: "卡号为 6 到 64 个字符。没有发送任何内容。请核对后再用一次这个命令。",
    giftCode: "卡密为 8 到 64 个字符。没有发送任何内容。请核对后再用一次这个命令。"
  }
}

/** The person's profile and phone number. */
export const profile: Messages["profile"] = {
  title: "你的账号",
  nickname: (name) => `昵称：**${plain(name)}**`,
  unnamed: "你的账号没有昵称。",
  phoneTitle: "核对手机号",
  phone: "手机号",
  phoneHint: "中国大陆以外的号码请带国家或地区代码，例如 +852 9123 4567。不会保存。",
  matched: "✅ 这是你账号的手机号。",
  unmatched: "❌ 这不是你账号的手机号，或者账号没有绑定手机号。没有任何改动。"
}
