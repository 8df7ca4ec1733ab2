import { plain } from "../../text/Escape.ts"
import type { Messages } from "../Messages.ts"

/** The local assistant on a person's own computer. */
export const assistant: Messages["assistant"] = {
  name: "助手",
  you: "你",
  online: "🟢 你的本地助手 **在线**。用 `/assistant chat` 开启与它的私密子区。",
  offline: "⚪ 你的本地助手 **离线**。请先在电脑上启动它；在此之前发送的内容不会送达。",
  sent: "已发送给你的本地助手。用 `/assistant history` 查看它的回复；用 `/assistant chat` 开启与它的私密子区。",
  ofAnotherAccount: "这是另一个账号的助手提出的问题，不属于现在连接的账号。没有发送任何内容。",
  chatOver: "这个对话已经结束。没有发送任何内容。用 `/assistant chat` 可以开启新的对话。",
  notDelivered: "你的本地助手离线，消息没有送达。请在电脑上启动助手，然后重新发送。",
  perhapsDelivered: "你的本地助手离线，消息可能没有送达。重新发送之前，请先用 `/assistant history` 查看。",
  deliveryUnknown:
    "不确定你的消息是否已送达服务：回复丢失了。没有重复发送。用 `/assistant history` 查看它是否在那里；如果没有，请重新发送。",
  nothingToSend: "没有可发送的内容：请写一些文字。文件不能发送给本地助手。",
  textOnly: "-# 文件不能发送给本地助手；只发送了你的文字。",
  threadName: "本地助手",
  welcome: (ownerId) =>
    `<@${ownerId}>，你在这个私密子区里写的内容会发送给你自己电脑上的助手，它的回复会出现在这里。其他人不能给它发消息。`,
  opened: (threadId) => `你与本地助手的私密子区：<#${threadId}>。`,
  cannotOpen:
    "我不能在这个频道开启私密子区。没有发送任何内容。请管理员给我这些权限：创建私密子区、在子区内发送消息、查看频道。",
  inServersOnly: "聊天需要在服务器的频道里开启子区。没有发送任何内容。这里可以用 `/assistant send`。",
  otherAccount:
    "这个子区连接的是另一个账号的助手，而现在连接的账号已经不同，所以它已结束。还没有发送的内容不会再发送。用 `/assistant chat` 开启与现在这个账号的助手的子区。",
  onlyOwner: (ownerId) => `这个子区连接的是 <@${ownerId}> 的电脑，所以只有本人可以发消息。没有发送任何内容。`,
  attachments: (count) => `${count} 个文件，保留在电脑上`,
  empty: "（没有文字）",
  asks: "助手提问",
  choose: "请选择",
  chooseBelow: "请在下方选择；助手正在等待。",
  answerUnconfirmed: "不确定你的回答是否送达：服务没有确认。不会因此扣除积分。请查看你的电脑，或重新回答。",
  openUntil: (at) => `⏳ 截止时间：<t:${Math.floor(at / 1000)}:T>（<t:${Math.floor(at / 1000)}:R>）。`,
  expired: "助手给出的回答时间已过。没有发送任何回答。请在这里写消息以继续。",
  expiredPerhapsAnswered:
    "助手给出的回答时间已过。不确定你的回答是否送达：请用 `/assistant history` 查看。请在这里写消息以继续。",
  chosen: (what) => `➤ 已选：${plain(what)}`,
  answered: "已回答，助手继续工作。",
  closed: "这个问题已经关闭：已有回答，或者助手不再等待。",
  onlyThere: "这个问题只能在你的电脑上回答：助手在那里等待。",
  serviceRefuses:
    "这个服务只允许在电脑前的本人回答。你的选择没有发送，也没有任何改动。请在你的电脑上回答：助手在那里等待。",
  anAnswer: "（对提问的回答）",
  historyTitle: "与本地助手的消息",
  noHistory: "这里没有消息。用 `/assistant send` 发送一条。",
  page: (page) => `第 ${page} 页`,
  newer: "◀ 较新",
  older: "较旧 ▶"
}
