import type { Messages } from "../Messages.ts"

/** Connecting an account, besides the words of the link. */
export const connecting: Messages["connecting"] = {
  howTo: "在页面上同意后，会看到一个验证码。请回到这里，点击 **输入验证码** 并填写。",
  enterCode: "输入验证码",
  codeLabel: "页面上的验证码",
  codeDescription: "8 位字母和数字。只填写你自己打开的页面上的验证码。",
  wrong: (left) => `这不是页面上的验证码。还没有连接任何账号；还可以再试 ${left} 次。`,
  tooOften: "验证码错误次数过多，已作废。没有连接任何账号。请用 `/connect` 重新开始。",
  none: "没有账号在等待验证码：可能已经用过、已经过期，或者还没有走到页面那一步。没有任何改动。请用 `/connect` 获取新链接。",
  tooLate: "服务不再接受这次登录。没有连接任何账号。请用 `/connect` 获取新链接。",
  allow: "允许",
  allowMore: (what) =>
    `**再允许一项。** 页面会请你在之前允许的基础上，再允许这个机器人${what.join("、")}。链接仅供你本人使用，10 分钟内有效，只能用一次。`,
  lacks: (what) => `你还没有允许这个机器人${what.join("、")}。没有任何改动。请点击按钮允许，然后再用一次这个命令。`
}
