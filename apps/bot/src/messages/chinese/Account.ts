import { plain } from "../../text/Escape.ts"
import type { Messages } from "../Messages.ts"

/** Redeeming codes and vouchers. */
export const redeem: Messages["redeem"] = {
  codeTitle: "兑换积分码",
  voucherTitle: "兑换礼品卡",
  code: "兑换码",
  cardNumber: "卡号",
  cardSecret: "卡密",
  secretHint: "请原样输入。只有你能看到；内容只会发送给服务，不会显示在任何地方。",
  redeemed: (credits, flowNo) =>
    `✅ 已为你的账号增加 **${credits} 积分**。流水号：\`${plain(flowNo)}\`（联系客服时请提供）。用 \`/credit\` 查看积分。`,
  refused:
    "❌ 服务不接受：它不存在、已用完或已过期。没有兑换任何内容，再次输入同样的内容也不会有变化。如果输错了，请用正确的内容再用一次这个命令。",
  refusedAfterTry:
    "❌ 服务已不再接受：它不存在、已用完或已过期。之前的尝试可能已经兑换成功：请用 `/credit` 查看积分是否到账。再次输入同样的内容不会有变化。",
  handledWithoutResult:
    "服务已经处理过这次兑换，但没有告知结果。不会再次发送。请用 `/credit` 查看积分是否到账；如果没有，请联系服务的客服。",
  unknown:
    "⏳ 还不知道是否兑换成功：服务没有明确答复。我会自动再次查询，最多只会兑换一次。你不需要做任何事；结果会在这里或通过私信告诉你。",
  pending: (flowNo) =>
    `⏳ 服务已受理，但积分尚未到账。流水号：\`${plain(flowNo)}\`（联系客服时请提供）。我会自动再次查询并告诉你。`,
  needsScopes: (what) =>
    `⏳ 还不知道是否兑换成功；只有你允许这个机器人${what.join("、")}之后，服务才会告知。请点击按钮允许，或使用 \`/redeem code\` 后出现的按钮。之后我会自动再次查询，最多只会兑换一次。`,
  needsAccount:
    "⏳ 还不知道是否兑换成功；你的账号没有连接，所以我无法查询。请点击按钮或用 `/connect` 重新连接同一个账号。之后我会自动再次查询，最多只会兑换一次。",
  givenUp:
    "一天之内仍无法确认是否兑换成功，所以不再查询，也不会再发送。请用 `/credit` 查看积分是否到账；如果没有，请联系服务的客服。",
  otherAccount:
    "没有兑换任何内容。你输入时连接的是另一个账号，之后换了账号。如需兑换到现在连接的账号，请再用一次这个命令；用 `/profile` 查看现在连接的是哪个账号。",
  otherAccountUnclear:
    "没有兑换到现在连接的账号。你输入时连接的是另一个账号，是否已兑换到那个账号还不清楚。我不再查询：重新连接那个账号后，可以用 `/credit` 查看。",
  failed: {
    changed: "没有兑换任何内容，你输入的码也没有被用掉。",
    next: {
      InvalidRequest: "请核对输入的内容，然后再用一次这个命令。",
      Unsupported: "请核对输入的内容，然后再用一次这个命令。",
      UnexpectedStatus: "请核对输入的内容，然后再用一次这个命令。",
      AccessDenied: "请联系服务的客服，确认你的账号能否兑换。",
      InvalidGrant: "请先使用 `/connect`，然后再用一次这个命令。",
      Reauthorize: "请先使用 `/connect`，然后再用一次这个命令。",
      InvalidToken: "请先使用 `/connect`，然后再用一次这个命令。",
      InsufficientScope: "请点击按钮允许，然后再用一次这个命令。"
    }
  },
  invalidInput: {
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
  unmatched: "❌ 这不是你账号的手机号，或者账号没有绑定手机号。"
}
