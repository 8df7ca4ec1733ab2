import type { Messages } from "../Messages.ts"

/** What `/help` says, by topic; the commands themselves are listed with their descriptions. */
export const help: Messages["help"] = {
  choose: "了解更多……",
  topics: {
    start: {
      title: "Discord 里的云端任务",
      text: [
        "你描述任务，云端的智能体来完成。所有过程都在这里的一个子区中进行。",
        "",
        "1. 输入 `/task new`，说明要做什么。附上文件即可提供数据。",
        "2. 第一次使用时，请在打开的页面上连接账号：任务在你自己的账号上运行。",
        "3. 在子区里阅读回答，并在那里继续对话。",
        "",
        "在消息里提到我，或在消息菜单中选择**应用 > 用这条消息新建任务**，也可以开始任务。"
      ].join("\n")
    },
    thread: {
      title: "在任务的子区里",
      text: [
        "- 任务的主人在子区里写的内容和附件都会交给智能体。",
        "- 智能体工作时你写的消息会排队；编辑或删除消息即可调整队列。",
        "- 发送“停止”或使用 `/task stop` 可停止当前回答。任务会保留，可以继续。",
        "- `/task status` 查看进展；`/task list` 列出你的任务，`/task open` 可以打开其中任何一个。",
        "- 锁定或删除子区会停止其中的任务。"
      ].join("\n")
    },
    questions: {
      title: "智能体提问时",
      text: [
        "智能体在改动内容之前，或者不知道如何继续时，会用卡片提问。",
        "",
        "- 在有权回答的人点击按钮之前，什么都不会发生。",
        "- 卡片上写有截止时间。到时没有回答即视为拒绝。",
        "- 可以选择选项，也可以自己填写；提交之前，草稿会一直保留。"
      ].join("\n")
    },
    account: {
      title: "你的账号和积分",
      text: [
        "- `/connect` 连接你在服务上的账号。链接只有你能看到；最后的页面会显示一个验证码，请回到这里填写。",
        "- 只填写你自己打开的页面上的验证码，也不要把它告诉任何人。",
        "- `/disconnect` 结束机器人的访问；有任务正在工作时会先询问。任务会在云端继续。",
        "- `/credit` 查看积分和余额，只有你能看到。",
        "- `/redeem code` 和 `/redeem voucher` 增加积分；填写的内容不会显示在任何地方。",
        "- `/profile` 查看账号，`/verify-phone` 核对手机号。",
        "- `/assistant chat` 开启与你自己电脑上的助手的私密子区。",
        "- 无论谁在子区里发言，任务都由发起者的账号付费。"
      ].join("\n")
    },
    files: {
      title: "文件和成果",
      text: [
        "- 一条消息的文件合计不超过 25 MB。",
        "- 计划、任务清单、图片、文件和总结会以卡片形式出现在子区里，每项一张，并保持最新。",
        "- `/artifacts list` 列出全部产出，`/artifacts open` 跳转到其中一项，`/artifacts plan` 比较计划的各个版本。",
        "- 超过 Discord 上限的文件只显示预览；用 `/artifacts download` 获取私密下载链接。",
        "- 较长的回答还会另附一个完整文件。"
      ].join("\n")
    },
    access: {
      title: "谁可以做什么",
      text: [
        "- 服务器里的每个人都能阅读子区；你的私密回复只有你能看到。",
        "- 只有发起任务的人，以及发起人用 `/task share` 允许的人，可以回复任务并回答智能体的提问。",
        "- 管理服务器的成员可以用 `/settings access` 设置更多规则，用 `/settings audit` 查看谁做过什么。",
        "- 在任务子区里写的内容会发送给运行任务的服务。"
      ].join("\n")
    },
    commands: { title: "所有命令", text: "" }
  },
  command: (path, description) => `\`/${path}\` · ${description}`,
  mentionsOnly: "-# 👋 在这里，我只能看到提到我或回复我的消息。请用这种方式给任务发消息。",
  cannotRead: "我看不到这条消息的内容，所以它没有送达任务。请在消息中提到我，或者回复我的某条消息。",
  welcome: (threadless) =>
    [
      "**大家好！我可以为你们运行云端任务。**",
      "告诉我要做什么，智能体就会在单独的子区里处理：回答问题，改动之前先征求同意，并发布完成的成果。",
      "",
      "- `/task new` 新建任务。",
      "- `/connect` 连接账号；第一次新建任务时也会提示连接。",
      "- `/help` 说明其他用法，回答只有你能看到。",
      "",
      `每个任务都在发起者自己的账号上运行。${threadless}`
    ].join("\n"),
  mentionMe: "在子区里请提到我或回复我：我看不到其他消息。",
  welcomed: (channelId) => `我已在 <#${channelId}> 中做了自我介绍。`
}
