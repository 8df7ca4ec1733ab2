import { html } from "./Html.ts"
import type { Messages } from "./Messages.ts"

const wait = (seconds: number) => (seconds < 60 ? "片刻" : ` ${minutes(seconds)}`)

const minutes = (seconds: number) => `${Math.max(1, Math.ceil(seconds / 60))} 分钟`

const signIn: Messages["signIn"] = {
  title: "登录",
  retryTitle: "登录：请再试一次",
  connectedAppsPurpose: "查看哪些应用可以使用你的账号",
  applicationPurpose: (application, host) =>
    html`以继续使用 <strong>${application}</strong>${host === undefined ? undefined : html`（${host}）`}`,
  deviceName: "你的设备",
  demoAccount: "这是本机的演示账号，已经为你填好。",
  nameLabel: "账号名",
  passwordLabel: "密码",
  submit: "登录",
  cancel: "取消并返回",
  wrongCredentials: "账号名或密码不正确。请检查后再试。",
  notAttempted: (_, seconds) => `现在无法登录：尝试过多，或服务正忙。请等待${wait(seconds)}后再试。`,
  signedOut: "你已退出登录。",
  sessionEnded: {
    allow: "你的登录已经失效，没有授予任何权限。请重新登录后继续。",
    disconnect: "你的登录已经失效，没有断开任何应用。请重新登录后继续。"
  }
}

const consent: Messages["consent"] = {
  title: (application) => `允许 ${application}？`,
  question: (application) => html`允许 ${application} 使用你的账号吗？`,
  permissionsIntro: "它将可以：",
  choicesIntro: "它请求以下权限。取消勾选你不想允许的项目：",
  returnsTo: (host) =>
    html`无论如何选择，你都会回到 <strong>${host}</strong>。如果你不认识它，或不是从那里过来的，请选择“取消”。`,
  endAtAnyTime: (address) => html`你随时可以在<a href="${address}">已连接的应用</a>中撤销。`,
  cancel: "取消",
  allow: "允许"
}

const scopes: Messages["scopes"] = {
  "user.profile.readable": "查看你的昵称和头像",
  "user.contact.readable": "核对某个手机号是否属于你，但看不到号码",
  "user.credit.readable": "查看你有多少积分、用了多少",
  "user.credit.exchange": "为你兑换积分码和兑换券",
  "user.task.readable": "查看你的任务、跟随任务会话并打开任务产出",
  "user.task.invokable": "以你的名义启动任务，可能会消耗你的积分",
  "user.localassistant.readable": "查看你的本地助手是否在线，并读取它的消息",
  "user.localassistant.invokable": "向你的本地助手发送消息，它会在你的电脑上执行"
}

const device: Messages["device"] = {
  title: "连接设备",
  question: (application) => html`允许设备上的 ${application} 使用你的账号吗？`,
  codeWarning: (code) => html`只有当你面前的设备显示代码 ${code} 时才继续。如果是别人把你引到这里的，请选择“取消”。`,
  codeLabel: "设备上的代码",
  continue: "继续",
  connected: { title: "设备已连接", text: "几秒后它会自动继续。", advice: "你可以关闭此页。" },
  denied: { title: "没有共享任何内容", text: "设备已得知你没有允许。", advice: "你可以关闭此页。" },
  unknownCode: "代码不存在或已过期。请检查，或让设备显示新的代码。",
  alreadyAnswered: {
    title: "这个代码已经处理过",
    text: "每个代码只能允许或拒绝一次。",
    advice: "如果设备仍在等待，请让它显示新的代码。",
    status: 409
  },
  tooManyCodes: (seconds) => ({
    title: "错误的代码太多",
    text: "没有共享任何内容。",
    advice: `请等待 ${minutes(seconds)}后再试。`,
    status: 429
  })
}

const apps: Messages["apps"] = {
  title: "已连接的应用",
  noApps: "没有应用可以使用你的账号。",
  noAppsHint: "你允许某个应用后，它会显示在这里，你可以随时断开。",
  intro: "在你断开之前，这些应用可以使用你的账号。",
  outOfService: "已停用：目前它什么也做不了。",
  connectedSince: "连接日期",
  lastUsed: "最近使用",
  disconnect: "断开",
  disconnected: (application) => html`已断开 ${application}。`,
  confirmTitle: (application) => `断开 ${application}？`,
  confirmHeading: (application) => html`断开 ${application} 吗？`,
  accessEnds: "此后它不能再使用你的账号，也看不到它为你启动的内容。",
  whatRemains: "你的任务和积分会保留。它想再次使用时必须重新征求你的同意。",
  cancel: "保留",
  listLink: "前往已连接的应用"
}

const refusedForm: Messages["refusedForm"] = {
  foreign: {
    title: "这不是从我们的页面发出的",
    text: "是另一个网站代你发送的，因此没有执行任何操作。",
    advice: "如果要继续，请从这里重新开始。",
    status: 403
  },
  noCookie: {
    title: "缺少 Cookie",
    text: "你的浏览器没有发送此页所需的 Cookie，因此没有执行任何操作。",
    advice: "可能是页面打开太久，或浏览器不为本网站保存 Cookie：请允许保存。",
    status: 400
  },
  stale: {
    title: "此页已过期",
    text: "它属于之前的一次访问，因此没有执行任何操作。",
    advice: "可能是同时打开了两次，或你在此期间登录或退出过。",
    status: 400
  }
}

/** The texts of the pages in Simplified Chinese. */
export const chinese: Messages = {
  language: "zh-CN",
  dates: "zh-CN",
  signIn,
  signedInAs: (nickname) => html`当前账号：<strong>${nickname}</strong>`,
  otherAccount: "换一个账号",
  signOut: "退出登录",
  consent,
  scopes,
  unknownScope: (scope) => `使用“${scope}”，本页没有对它的说明：只有清楚它是什么时才允许`,
  device,
  apps,
  startAgain: "重新开始",
  refusedForm,
  invalidLink: () => ({
    title: "这个链接无效",
    text: "链接中的应用未知、已停用，或者返回地址不是它登记过的。",
    advice: "没有共享任何内容。请回到来处重新开始；如果仍然不行，请告知该应用的运营者。",
    status: 400
  }),
  tooManyRequests: (seconds) => ({
    title: "请求过多",
    text: "来自你所在网络的请求超过了本服务一次能处理的数量。没有执行任何操作。",
    advice: `请等待 ${seconds} 秒，然后重新加载此页。`,
    status: 429
  }),
  serviceFailed: (requestId, status) => ({
    title: "这里出了问题",
    text: "服务没能处理这个请求。不清楚是否已执行了什么。",
    advice: `请返回再试；如果仍然不行，请把请求编号 ${requestId} 告知本服务的运营者。`,
    status
  }),
  invalidRequest: (_, status) => ({
    title: "无法读取这个请求",
    text: "请求的内容不完整或格式不对。",
    advice: "没有执行任何操作。请回到来处重新开始。",
    status
  }),
  wait,
  minutes
}
