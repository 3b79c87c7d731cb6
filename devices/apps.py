"""App name → package: a table of common names in Chinese and English, then the phone's own packages. Never a guess.

No shell command prints an app's label, so the table is by package; the first package of an entry that the phone has is
taken. A name outside the table may be a package, or the last word of exactly one package.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _App:
    names: tuple[str, ...]
    packages: tuple[str, ...]


def _app(names: str, packages: str) -> _App:
    return _App(tuple(name.strip() for name in names.split("|")), tuple(packages.split()))


APPS: tuple[_App, ...] = (
    # the phone itself
    _app("Settings|设置|系统设置|System settings", "com.android.settings"),
    _app(
        "Launcher|桌面|主屏幕|Home screen",
        "com.android.launcher3 com.google.android.apps.nexuslauncher com.miui.home com.sec.android.app.launcher"
        " com.huawei.android.launcher com.hihonor.android.launcher com.oppo.launcher"
        " com.bbk.launcher2 com.android.launcher",
    ),
    _app(
        "Phone|Dialer|电话|拨号",
        "com.google.android.dialer com.android.dialer com.samsung.android.dialer com.android.contacts",
    ),
    _app(
        "Contacts|联系人|通讯录",
        "com.google.android.contacts com.android.contacts com.samsung.android.app.contacts com.huawei.contacts",
    ),
    _app(
        "Messages|Messaging|SMS|短信|信息",
        "com.google.android.apps.messaging com.android.mms com.samsung.android.messaging com.android.messaging",
    ),
    _app(
        "Camera|相机|照相机",
        "com.google.android.GoogleCamera com.android.camera com.android.camera2 com.sec.android.app.camera"
        " com.huawei.camera com.oppo.camera com.oplus.camera",
    ),
    _app(
        "Gallery|相册|图库",
        "com.miui.gallery com.sec.android.gallery3d com.huawei.photos com.android.gallery3d com.coloros.gallery3d"
        " com.vivo.gallery com.google.android.apps.photos",
    ),
    _app("Google Photos|Photos|Google 相册|照片", "com.google.android.apps.photos"),
    _app(
        "Clock|时钟|闹钟",
        "com.google.android.deskclock com.android.deskclock com.sec.android.app.clockpackage com.huawei.deskclock"
        " com.coloros.alarmclock com.android.BBKClock",
    ),
    _app(
        "Calculator|计算器",
        "com.google.android.calculator com.android.calculator2 com.miui.calculator com.sec.android.app.popupcalculator"
        " com.huawei.calculator com.coloros.calculator com.android.bbkcalculator",
    ),
    _app(
        "Calendar|日历",
        "com.google.android.calendar com.android.calendar com.samsung.android.calendar com.huawei.calendar"
        " com.coloros.calendar com.bbk.calendar",
    ),
    _app(
        "Files|File manager|文件|文件管理|文件管理器",
        "com.google.android.apps.nbu.files com.android.documentsui com.google.android.documentsui"
        " com.mi.android.globalFileexplorer"
        " com.android.fileexplorer com.sec.android.app.myfiles com.huawei.filemanager com.coloros.filemanager",
    ),
    _app(
        "Notes|笔记|便签|备忘录|记事本",
        "com.miui.notes com.samsung.android.app.notes com.example.android.notepad com.huawei.notepad com.coloros.note"
        " com.nearme.note com.android.notes",
    ),
    _app(
        "Recorder|Sound recorder|录音机|录音",
        "com.google.android.apps.recorder com.android.soundrecorder com.sec.android.app.voicenote"
        " com.coloros.soundrecorder",
    ),
    _app(
        "Weather|天气",
        "com.miui.weather2 com.sec.android.daemonapp com.huawei.android.totemweather com.coloros.weather2"
        " com.vivo.weather",
    ),
    _app(
        "Browser|浏览器",
        "com.android.browser com.android.chrome com.sec.android.app.sbrowser com.huawei.browser com.heytap.browser"
        " com.vivo.browser org.mozilla.firefox",
    ),
    _app(
        "App store|应用商店|应用市场|软件商店",
        "com.xiaomi.market com.huawei.appmarket com.heytap.market com.oppo.market com.bbk.appstore"
        " com.sec.android.app.samsungapps"
        " com.android.vending",
    ),
    # Google
    _app("Chrome|谷歌浏览器", "com.android.chrome"),
    _app("Play Store|Google Play|Google Play Store|谷歌商店", "com.android.vending"),
    _app("Gmail|谷歌邮箱", "com.google.android.gm"),
    _app("Google Maps|Maps|谷歌地图", "com.google.android.apps.maps"),
    _app("YouTube", "com.google.android.youtube"),
    _app("YouTube Music", "com.google.android.apps.youtube.music"),
    _app("Google|谷歌", "com.google.android.googlequicksearchbox"),
    _app("Google Drive|Drive|谷歌云盘", "com.google.android.apps.docs"),
    _app("Google Docs|Docs|谷歌文档", "com.google.android.apps.docs.editors.docs"),
    _app("Google Sheets|Sheets", "com.google.android.apps.docs.editors.sheets"),
    _app("Google Slides|Slides", "com.google.android.apps.docs.editors.slides"),
    _app("Google Keep|Keep|Keep Notes", "com.google.android.keep"),
    _app("Google Meet|Meet", "com.google.android.apps.tachyon com.google.android.apps.meetings"),
    _app("Google Translate|Translate|谷歌翻译", "com.google.android.apps.translate"),
    _app("Google Tasks|Tasks", "com.google.android.apps.tasks"),
    # talk and social
    _app("WeChat|微信", "com.tencent.mm"),
    _app("QQ", "com.tencent.mobileqq com.tencent.tim"),
    _app("Weibo|微博|新浪微博", "com.sina.weibo"),
    _app("DingTalk|钉钉", "com.alibaba.android.rimet"),
    _app("Feishu|飞书", "com.ss.android.lark"),
    _app("Lark", "com.larksuite.suite"),
    _app("WeCom|企业微信", "com.tencent.wework"),
    _app("Tencent Meeting|VooV|腾讯会议", "com.tencent.wemeet.app"),
    _app("WhatsApp", "com.whatsapp"),
    _app("Telegram|电报", "org.telegram.messenger"),
    _app("Signal", "org.thoughtcrime.securesms"),
    _app("Messenger|Facebook Messenger", "com.facebook.orca"),
    _app("Facebook|脸书", "com.facebook.katana"),
    _app("Instagram", "com.instagram.android"),
    _app("X|Twitter|推特", "com.twitter.android"),
    _app("Reddit", "com.reddit.frontpage"),
    _app("Discord", "com.discord"),
    _app("Slack", "com.Slack"),
    _app("Microsoft Teams|Teams", "com.microsoft.teams"),
    _app("Zoom", "us.zoom.videomeetings"),
    _app("Skype", "com.skype.raider"),
    _app("LINE", "jp.naver.line.android"),
    _app("Snapchat", "com.snapchat.android"),
    _app("Pinterest", "com.pinterest"),
    _app("LinkedIn|领英", "com.linkedin.android"),
    _app("Tieba|百度贴吧|贴吧", "com.baidu.tieba"),
    _app("Zhihu|知乎", "com.zhihu.android"),
    _app("Douban|豆瓣", "com.douban.frodo"),
    _app("Xiaohongshu|RedNote|小红书", "com.xingin.xhs"),
    # video, music, reading
    _app("Douyin|抖音", "com.ss.android.ugc.aweme"),
    _app("Douyin Lite|抖音极速版", "com.ss.android.ugc.aweme.lite"),
    _app("TikTok", "com.zhiliaoapp.musically com.ss.android.ugc.trill"),
    _app("Kuaishou|快手", "com.smile.gifmaker"),
    _app("Kuaishou Lite|快手极速版", "com.kuaishou.nebula"),
    _app("Bilibili|哔哩哔哩|B站", "tv.danmaku.bili"),
    _app("Tencent Video|腾讯视频", "com.tencent.qqlive"),
    _app("iQIYI|爱奇艺", "com.qiyi.video"),
    _app("Youku|优酷|优酷视频", "com.youku.phone"),
    _app("Mango TV|芒果TV", "com.hunantv.imgo.activity"),
    _app("Xigua Video|西瓜视频", "com.ss.android.article.video"),
    _app("Toutiao|今日头条", "com.ss.android.article.news"),
    _app("Tencent News|腾讯新闻", "com.tencent.news"),
    _app("NetEase Cloud Music|网易云音乐|网易云", "com.netease.cloudmusic"),
    _app("QQ Music|QQ音乐", "com.tencent.qqmusic"),
    _app("Kugou Music|Kugou|酷狗音乐|酷狗", "com.kugou.android"),
    _app("Kuwo Music|酷我音乐", "cn.kuwo.player"),
    _app("Qishui Music|汽水音乐", "com.luna.music"),
    _app("Ximalaya|喜马拉雅", "com.ximalaya.ting.android"),
    _app("Fanqie Novel|番茄小说|番茄免费小说", "com.dragon.read"),
    _app("WeRead|微信读书", "com.tencent.weread"),
    _app("Spotify", "com.spotify.music"),
    _app("Netflix|奈飞", "com.netflix.mediaclient"),
    _app("VLC", "org.videolan.vlc"),
    _app("Kindle", "com.amazon.kindle"),
    # shops, food, money
    _app("Taobao|淘宝", "com.taobao.taobao"),
    _app("Tmall|天猫", "com.tmall.wireless"),
    _app("JD|京东|JD.com", "com.jingdong.app.mall"),
    _app("Pinduoduo|拼多多", "com.xunmeng.pinduoduo"),
    _app("Xianyu|Goofish|闲鱼", "com.taobao.idlefish"),
    _app("Vipshop|唯品会", "com.achievo.vipshop"),
    _app("Dewu|Poizon|得物", "com.shizhuang.duapp"),
    _app("Meituan|美团", "com.sankuai.meituan"),
    _app("Meituan Waimai|美团外卖", "com.sankuai.meituan.takeoutnew"),
    _app("Ele.me|饿了么|淘宝闪购", "me.ele"),
    _app("Dianping|大众点评", "com.dianping.v1"),
    _app("Hema|Freshippo|盒马", "com.wudaokou.hippo"),
    _app("McDonald's|麦当劳", "com.mcdonalds.gma.cn com.mcdonalds.app"),
    _app("Starbucks|星巴克", "com.starbucks.cn com.starbucks.mobilecard"),
    _app("Luckin Coffee|瑞幸咖啡|瑞幸", "com.lucky.luckyclient"),
    _app("Alipay|支付宝", "com.eg.android.AlipayGphone"),
    _app("UnionPay|云闪付", "com.unionpay"),
    _app("Amazon|亚马逊", "com.amazon.mShop.android.shopping"),
    _app("eBay", "com.ebay.mobile"),
    _app("Temu", "com.einnovation.temu"),
    _app("Shein", "com.zzkko"),
    _app("PayPal", "com.paypal.android.p2pmobile"),
    # travel and maps
    _app("Amap|Gaode Maps|高德地图|高德", "com.autonavi.minimap"),
    _app("Baidu Maps|百度地图", "com.baidu.BaiduMap"),
    _app("Tencent Maps|腾讯地图", "com.tencent.map"),
    _app("Didi|滴滴|滴滴出行", "com.sdu.didi.psnger"),
    _app("Hello|哈啰|哈啰出行", "com.jingyao.easybike"),
    _app("Ctrip|携程|携程旅行", "ctrip.android.view"),
    _app("Trip.com", "ctrip.english"),
    _app("Qunar|去哪儿|去哪儿旅行", "com.Qunar"),
    _app("Fliggy|飞猪|飞猪旅行", "com.taobao.trip"),
    _app("Tongcheng|同程旅行", "com.tongcheng.android"),
    _app("12306|铁路12306|Railway 12306", "com.MobileTicket"),
    _app("Uber|优步", "com.ubercab"),
    _app("Booking|Booking.com|缤客", "com.booking"),
    _app("Airbnb|爱彼迎", "com.airbnb.android"),
    # tools and work
    _app("Baidu|百度", "com.baidu.searchbox"),
    _app("Baidu Netdisk|百度网盘", "com.baidu.netdisk"),
    _app("Quark|夸克|夸克浏览器", "com.quark.browser"),
    _app("UC Browser|UC浏览器", "com.UCMobile com.UCMobile.intl"),
    _app("QQ Browser|QQ浏览器", "com.tencent.mtt"),
    _app("QQ Mail|QQ邮箱", "com.tencent.androidqqmail"),
    _app("WPS Office|WPS", "cn.wps.moffice_eng"),
    _app("Tencent Docs|腾讯文档", "com.tencent.docs"),
    _app("Youdao|Youdao Dictionary|有道词典|网易有道词典", "com.youdao.dict"),
    _app("Keep fitness|Keep运动", "com.gotokeep.keep"),
    _app("Doubao|豆包", "com.larus.nova"),
    _app("DeepSeek", "com.deepseek.chat"),
    _app("Kimi", "com.moonshot.kimichat"),
    _app("ChatGPT", "com.openai.chatgpt"),
    _app("Gemini", "com.google.android.apps.bard"),
    _app("Outlook|Microsoft Outlook", "com.microsoft.office.outlook"),
    _app("Word|Microsoft Word", "com.microsoft.office.word"),
    _app("Excel|Microsoft Excel", "com.microsoft.office.excel"),
    _app("OneDrive", "com.microsoft.skydrive"),
    _app("Edge|Microsoft Edge", "com.microsoft.emmx"),
    _app("Firefox|火狐|火狐浏览器", "org.mozilla.firefox"),
    _app("Dropbox", "com.dropbox.android"),
    _app("Notion", "notion.id"),
    _app("Duolingo|多邻国", "com.duolingo"),
    _app("Zuoyebang|作业帮", "com.baidu.homework"),
    _app("Beike|贝壳|贝壳找房", "com.lianjia.beike"),
    _app("Boss Zhipin|Boss直聘", "com.hpbr.bosszhipin"),
    _app("Autohome|汽车之家", "com.cubic.autohome"),
    _app("Meitu|美图秀秀", "com.mt.mtxx.mtxx"),
    _app("CapCut", "com.lemon.lvoverseas"),
    _app("Jianying|剪映", "com.lemon.lv"),
    # often used in tests and in open benchmarks
    _app("Markor", "net.gsantner.markor"),
    _app("OsmAnd", "net.osmand net.osmand.plus"),
    _app("Simple Calendar|Simple Calendar Pro", "com.simplemobiletools.calendar.pro"),
    _app("Simple Gallery|Simple Gallery Pro", "com.simplemobiletools.gallery.pro"),
    _app("Simple SMS Messenger", "com.simplemobiletools.smsmessenger"),
    _app("Audio Recorder", "com.dimowner.audiorecorder"),
    _app("Broccoli|Recipe app", "com.flauschcode.broccoli"),
    _app("Pro Expense", "com.arduia.expense"),
    _app("OpenTracks|Activity tracker", "de.dennisguse.opentracks"),
    _app("Joplin", "net.cozic.joplin"),
    _app("Retro Music", "code.name.monkey.retromusic"),
)


class NoSuchApp(LookupError):
    """No installed app goes by the name; `near` holds similar ones that are installed."""

    def __init__(self, name: str, near: tuple[str, ...]) -> None:
        super().__init__(name)
        self.name = name
        self.near = near


def package_of(name: str, installed: Collection[str]) -> str:
    """The package an app name stands for on a phone with the packages `installed`.

    Raises:
        NoSuchApp: nothing fits, or more than one package does.
    """
    wanted = _plain(name)
    if name.strip() in installed:
        return name.strip()
    if not wanted:
        raise NoSuchApp(name, ())
    listed = _BY_NAME.get(wanted)
    if listed is not None:
        found = next((package for package in listed.packages if package in installed), None)
        if found is not None:
            return found
    words = {wanted, *(_plain(alias) for alias in listed.names)} if listed else {wanted}
    by_last_word = [package for package in installed if _plain(package.rpartition(".")[2]) in words]
    if len(by_last_word) == 1:
        return by_last_word[0]
    raise NoSuchApp(name, tuple(sorted(by_last_word)[:5]) or near_names(name, installed))


def near_names(name: str, installed: Iterable[str], limit: int = 5) -> tuple[str, ...]:
    """Up to `limit` installed apps with a similar name, as "Name (package)" where a name is known."""
    labels: dict[str, str] = {}
    for package in sorted(installed):
        labels[_plain(package.rpartition(".")[2])] = package
        for known in _NAMES_OF.get(package, ()):
            labels[_plain(known)] = f"{_NAMES_OF[package][0]} ({package})"
    wanted = _plain(name)
    inside = [key for key in labels if min(len(key), len(wanted)) >= 2 and (wanted in key or key in wanted)]
    close = difflib.get_close_matches(wanted, labels, n=limit, cutoff=0.6)
    return tuple(dict.fromkeys(labels[key] for key in [*close, *sorted(inside)]))[:limit]


def _plain(name: str) -> str:
    """Letters and digits alone, so that "Ele.me", "WeChat " and full-width forms compare equal."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name)).casefold()


_BY_NAME: dict[str, _App] = {_plain(name): app for app in APPS for name in app.names}
_NAMES_OF: dict[str, tuple[str, ...]] = {}
for _entry in APPS:
    for _package in _entry.packages:
        _NAMES_OF.setdefault(_package, _entry.names)
