import type { Messages } from "../Messages.ts"

/** The slash commands and their options, as Discord lists them; at most 100 characters each. */
export const commands: Messages["commands"] = {
  groups: { assistant: "你电脑上的本地助手", redeem: "兑换码和礼品卡", task: "云端任务" },
  taskNew: {
    description: "新建云端任务；会开启一个子区，你可以在里面和智能体对话",
    prompt: "要做什么？",
    file: "要处理的文件，最大 25 MB",
    name: "任务名称"
  },
  taskList: { description: "查看你最近的任务" },
  taskStatus: { description: "查看这个子区里任务的状态" },
  taskStop: { description: "停止这个子区里正在进行的回答" },
  connect: { description: "连接你的账号，你的任务会在这个账号上运行" },
  disconnect: { description: "解除机器人对你账号的访问" },
  credit: { description: "查看你的积分" },
  redeemCode: { description: "用兑换码兑换积分；在只有你能看到的表单里填写" },
  redeemVoucher: { description: "用卡号和卡密兑换积分，在只有你能看到的表单里填写" },
  profile: { description: "查看你连接的账号" },
  verifyPhone: { description: "核对某个手机号是否属于你的账号" },
  assistantStatus: { description: "查看你电脑上的助手是否在线" },
  assistantSend: { description: "给你电脑上的助手发送一条消息", message: "要告诉它的内容" },
  assistantHistory: { description: "查看你与电脑上的助手的消息" },
  assistantChat: { description: "开启与你电脑上的助手的私密子区" },
  help: { description: "这个机器人能做什么、怎么用" },
  startWithMessage: "用这条消息新建任务"
}
