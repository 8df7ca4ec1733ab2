import type { Messages } from "../Messages.ts"

/** The page on which the service's answer to a connection ends. */
export const page: Messages["page"] = {
  language: "zh-CN",
  connected: "已连接",
  connectedText: "你的账号已连接。请回到 Discord，用 /task new 新建任务。",
  connectedStarting: "你的账号已连接，任务正在启动。请回到 Discord。",
  notFound: "这里没有这个页面。",
  close: "可以关闭这个页面了。",
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
  broken: "出错了",
  brokenText: "没能完成连接。请在 Discord 中用 /connect 重试。",
  report: (id) => `如果再次出现，请反馈这个编号：${id}。`
}
