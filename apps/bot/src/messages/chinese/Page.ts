import type { Messages } from "../Messages.ts"

/** The callback page at the end of a connection. */
export const page: Messages["page"] = {
  language: "zh-CN",
  code: "还差一步",
  codeText: "如果是你本人：请回到 Discord，点击“输入验证码”并填写：",
  codeFor: "这会把你的账号连接到 Discord 上的这个人，之后其任务会消耗你的积分：",
  shownAs: (displayName) => `（显示名称为“${displayName}”）`,
  codeWarning: "这不是你，或者链接是别人发给你的？请关闭这个页面，不要把验证码告诉任何人：填写之前不会连接任何账号。",
  codeTime: (minutes) => `验证码 ${minutes} 分钟内有效，只能用一次。`,
  notFound: "这里没有这个页面",
  notConnected: "未连接",
  unusable: "这个链接不能使用",
  unusableText: "它已经用过，或者不是我们发出的链接。没有因此连接任何账号。",
  newLink: "请在 Discord 中用 /connect 获取新链接。",
  rejected: "收到的答复与请求不符，或者来得太晚。没有连接任何账号。",
  denied: "你没有同意授权，所以没有连接任何账号。",
  changedMind: "如果改变主意，请在 Discord 中使用 /connect。",
  notAccepted: "服务没有接受这个答复，可能是用时太久。没有连接任何账号。",
  notSetUp: "这个机器人在服务端的配置有误。没有连接任何账号。",
  tellOperator: "请告知机器人的管理者。",
  notFinished: "服务没能完成连接。没有连接任何账号。",
  waitForNewLink: "请等一分钟，再到 Discord 中用 /connect 获取新链接。",
  internalError: "出错了",
  internalErrorText: "没能完成连接。请在 Discord 中用 /connect 重试。",
  linkGone: "这个链接已失效",
  linkGoneText: "下载链接只在一段时间内有效，获得链接的人失去访问权限时也随之失效；不完整的链接无法使用。",
  newDownload: "请在任务的子区里使用 /artifacts download 获取新的链接。",
  fileUnavailable: "暂时无法获取这个文件",
  fileUnavailableText: "任务没有提供它：可能已被删除，或者暂时无法连接到服务。",
  report: (id) => `如果再次出现，请反馈这个编号：${id}。`
}
