"""Prompt texts of the gelab family, Chinese and English. Keywords (THINK, action and field names) are the same in both.

One user message: actions, then task and history, then the image, then the form of the reply. `read_task` finds task
and history in such a text again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Texts:
    """The fixed parts of a prompt in one language. `{…}` is filled per turn."""

    actions: str
    task: str
    """With `{task}` and `{history}`."""
    form: str
    no_history: str
    user_reply: str
    action_error: str
    reask: str


_SAMPLES = [
    "action:CLICK\tpoint:x,y",
    "action:DOUBLE_CLICK\tpoint:x,y",
    "action:LONGPRESS\tpoint:x,y",
    "action:TYPE\tvalue:text\tpoint:x,y",
    "action:SLIDE\tpoint1:x1,y1\tpoint2:x2,y2",
    "action:SCROLL\tpoint:x,y\tdirection:UP\tdistance:400",
    "action:HOT_KEY\tvalue:BACK",
    "action:AWAKE\tvalue:app",
    "action:WAIT\tvalue:seconds",
    "action:INFO\tvalue:question",
    "action:COMPLETE\treturn:answer",
    "action:ABORT\tvalue:reason",
]

_ZH_NOTES = (
    "点击 point 处。",
    "连续快速点击 point 处两次。",
    "长按 point 处；可加 duration:秒数。",
    "输入 value 的全部文字（原样输入，可以含换行）；point 是输入框的位置。输入不会自动提交。",
    "手指从 point1 滑到 point2；可加 duration:秒数。",
    "手指从 point 向 direction（UP、DOWN、LEFT、RIGHT）移动 distance（屏幕的千分之几）；"
    "UP 表示手指向上，露出下面的内容。",
    "按系统键，value 为 BACK、HOME、ENTER、MENU、APP_SWITCH、VOLUME_UP、VOLUME_DOWN、POWER 之一。",
    "打开名为 value 的应用。",
    "等待 value 秒，让屏幕加载完。",
    "向用户提问；只有缺少用户才知道的信息时才用。",
    "任务已完成；任务要求回答时，答案写在 return 里，否则 return 留空。",
    "任务无法完成，value 写原因。",
)

_EN_NOTES = (
    "tap at point.",
    "tap twice quickly at point.",
    "press and hold at point; duration:seconds may be added.",
    "type the whole text of value as it stands (it may hold line breaks); point is where the input field is. "
    "Typing does not submit.",
    "move the finger from point1 to point2; duration:seconds may be added.",
    "move the finger from point in direction (UP, DOWN, LEFT, RIGHT) by distance (thousandths of the screen); "
    "UP moves the finger up and brings what is below into view.",
    "press a system key: one of BACK, HOME, ENTER, MENU, APP_SWITCH, VOLUME_UP, VOLUME_DOWN, POWER.",
    "open the app called value.",
    "wait value seconds for the screen to load.",
    "ask the user; only for what nobody but the user can know.",
    "the task is done; when it asks for an answer, put it into return, otherwise leave return empty.",
    "the task cannot be done; value says why.",
)


def _listed(notes: tuple[str, ...]) -> str:
    lines = zip(_SAMPLES, notes, strict=True)
    return "\n".join(f"{number}. {sample}\n   {note}" for number, (sample, note) in enumerate(lines, start=1))


_SHAPE = "<THINK> … </THINK>\nexplain:…\taction:…\t…\tsummary:…"

ZH = Texts(
    actions=(
        "你在操作一部安卓手机，替用户完成任务。每一步你会看到当前屏幕，请给出下一个动作。\n"
        "坐标 x,y 以屏幕左上角为原点，横向、纵向都是 0 到 1000。\n可用的动作（字段之间是一个制表符）：\n"
        + _listed(_ZH_NOTES)
    ),
    task="用户任务：\n{task}\n\n历史（到目前为止做过的事）：\n{history}\n\n当前屏幕：",
    form=(
        "先在 THINK 标签里思考，再用一行写出动作；字段之间用一个制表符隔开，形式如下：\n" + _SHAPE + "\n"
        "explain 用一句话说明这一步要做什么；summary 概括到这一步为止完成的全部进展，包括以后需要记住的内容，"
        "下一步你只能看到这段 summary 和新的屏幕。"
    ),
    no_history="（还没有）",
    user_reply="用户对你提问的回复：{reply}",
    action_error="上一个动作没有成功：{error}",
    reask="上一条回复无法执行：{reason}\n请按规定的形式重新回复，只给出一个动作。可用的动作：{actions}。",
)

EN = Texts(
    actions=(
        "You operate an Android phone to carry out a task for its user. At each step you see the current screen; give "
        "the next action.\nCoordinates x,y start at the top left corner; both run from 0 to 1000.\n"
        "Actions (one tab character between fields):\n" + _listed(_EN_NOTES)
    ),
    task="Task of the user:\n{task}\n\nHistory (what has been done so far):\n{history}\n\nCurrent screen:",
    form=(
        "Think inside the THINK tags first, then write the action on one line, with one tab character between fields, "
        "in this form:\n" + _SHAPE + "\n"
        "explain says in one sentence what this step does; summary tells all progress up to and including this step "
        "and whatever must be remembered: at the next step you see only this summary and the new screen."
    ),
    no_history="(nothing yet)",
    user_reply="The user's reply to your question: {reply}",
    action_error="The last action did not succeed: {error}",
    reask=(
        "The last reply could not be carried out: {reason}\nReply again in the given form, with one action only. "
        "Actions: {actions}."
    ),
)

TEXTS = {"zh": ZH, "en": EN}


def _pattern(texts: Texts) -> re.Pattern[str]:
    """Matches a filled `task` text; the last history marker counts, whatever the task itself says."""
    head, middle, tail = re.split(r"\{task\}|\{history\}", texts.task)
    return re.compile(f"{re.escape(head)}(.*){re.escape(middle)}(.*?){re.escape(tail)}", re.DOTALL)


_PATTERNS = {language: _pattern(texts) for language, texts in TEXTS.items()}


@dataclass(frozen=True, slots=True)
class TaskText:
    """What a prompt says of the task."""

    language: str
    task: str
    history: str
    """Empty at the first step."""


def read_task(prompt: str) -> TaskText | None:
    """Task and history of a prompt made of these texts; None when it is another prompt."""
    for language, pattern in _PATTERNS.items():
        if found := pattern.search(prompt):
            history = found[2].strip()
            return TaskText(language, found[1], "" if history == TEXTS[language].no_history else history)
    return None
