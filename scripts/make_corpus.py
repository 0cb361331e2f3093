"""Make the three histories that `recall_test` ships with: long sessions with planted facts, and questions about them.

    python scripts/make_corpus.py          writes jupyter_history/experiments/corpus/*.json.gz
    python scripts/make_corpus.py --check  says whether they are what this script makes

Everything is made up here, by templates and a seeded generator: no text has another source, and no model can know an
answer. Each session has 20 facts, five of each kind (number, identifier, name, decision), spread over its turns and over
the places where a fact may stand: the user's prompt, the model's answer, the result of a tool. Licence: the project's.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "jupyter_history" / "experiments" / "corpus"
FORMAT = 1


@dataclass(frozen=True)
class Fact:
    """`text` stands at `place` ("prompt", "answer" or "result") of turn `turn` and answers `question`."""

    turn: int
    place: str
    kind: str
    text: str
    question: str
    answer: str
    accept: tuple[str, ...] = ()


Words = Callable[[random.Random], str]


def hexes(rng: random.Random, digits: int) -> str:
    return "".join(rng.choice("0123456789abcdef") for _ in range(digits))


def number(rng: random.Random, low: float, high: float, places: int = 4) -> str:
    return f"{rng.uniform(low, high):.{places}f}"


def pick(rng: random.Random, *words: str) -> str:
    return rng.choice(words)


# -- a data analysis, with the output of tools --------------------------------------------------------------------------

STATIONS = ("Aldmoor", "Brenvick", "Corrin", "Dunsley", "Esker", "Farrow", "Gellan", "Hathe", "Innis", "Jarrow")


def analysis(rng: random.Random) -> dict[str, Any]:
    rmse, share, rows, auc, alpha = (
        number(rng, 0.3, 0.6), number(rng, 11, 19, 2), str(rng.randint(41_000, 58_000)), number(rng, 0.8, 0.9),
        number(rng, 0.01, 0.09, 5),
    )  # fmt: skip
    file, run, column, commit, bucket = (
        f"gauges_{hexes(rng, 6)}.parquet", f"run-{hexes(rng, 8)}", f"q95_{pick(rng, 'lag', 'roll', 'diff')}{rng.randint(3, 29)}",
        hexes(rng, 12), f"hydro-{hexes(rng, 5)}",
    )  # fmt: skip
    people = rng.sample(
        ["Maren Tolvik", "Ioan Prestu", "Sade Okunlo", "Lise Harkmann", "Tomas Verbruk", "Anka Dreyl"], 3
    )
    river, broken = pick(rng, "Ostrel", "Velmir", "Tarn Alse"), pick(rng, *STATIONS)
    split, impute, loss, metric, drop = (
        pick(rng, "by station", "by hydrological year", "by catchment"),
        pick(rng, "linear interpolation", "the seasonal median", "a Kalman smoother"),
        pick(rng, "the Huber loss", "the quantile loss", "the log-cosh loss"),
        pick(rng, "the Nash-Sutcliffe efficiency", "the Kling-Gupta efficiency", "the mean absolute error"),
        pick(rng, "the snowmelt index", "the soil moisture proxy", "the upstream rainfall"),
    )
    facts = [
        Fact(0, "prompt", "identifier", f"The raw gauge data is in the file {file}.", "Which file holds the raw gauge data?", file),
        Fact(1, "result", "number", f"rows after removing duplicate timestamps: {rows}", "How many rows were left after removing duplicate timestamps?", rows, (f"{int(rows):,}",)),
        Fact(2, "answer", "name", f"The station with the broken pressure sensor is {broken}.", "Which station has the broken pressure sensor?", broken),
        Fact(3, "prompt", "decision", f"Let us decide: we split the folds {split}.", "How did we decide to split the folds?", split),
        Fact(4, "result", "number", f"share of missing discharge values: {share} %", "What share of discharge values was missing, in percent?", share),
        Fact(5, "prompt", "name", f"The field notes were written by {people[0]}.", "Who wrote the field notes?", people[0]),
        Fact(6, "answer", "decision", f"Agreed: gaps in discharge are filled with {impute}.", "With what are gaps in discharge filled?", impute.removeprefix("the ").removeprefix("a "), (impute,)),
        Fact(7, "result", "identifier", f"tracking id of the baseline fit: {run}", "What is the tracking id of the baseline fit?", run),
        Fact(8, "result", "number", f"ridge holdout rmse: {rmse}", "What was the ridge holdout RMSE?", rmse),
        Fact(9, "answer", "identifier", f"The most useful derived feature is {column}.", "What is the most useful derived feature called?", column),
        Fact(10, "prompt", "name", f"The river whose regime changed after the dam is the {river}.", "Which river's regime changed after the dam?", river),
        Fact(11, "prompt", "decision", f"Decision for training: we use {loss}.", "Which loss did we decide to use for training?", loss.removeprefix("the ").removesuffix(" loss"), (loss, loss.removeprefix("the "))),
        Fact(12, "result", "number", f"best penalty alpha by grid search: {alpha}", "What was the best penalty alpha by grid search?", alpha),
        Fact(13, "result", "identifier", f"code version of the gradient boosting script: {commit}", "What is the code version of the gradient boosting script?", commit),
        Fact(14, "answer", "name", f"The reviewer who asked for the flood-only evaluation is {people[1]}.", "Which reviewer asked for the flood-only evaluation?", people[1]),
        Fact(15, "answer", "decision", f"We report {metric} as the headline metric.", "What do we report as the headline metric?", metric.removeprefix("the "), (metric,)),
        Fact(16, "result", "number", f"flood classifier area under the curve: {auc}", "What was the flood classifier's area under the curve?", auc),
        Fact(17, "prompt", "identifier", f"Put the figures into the bucket {bucket}.", "Into which bucket do the figures go?", bucket),
        Fact(18, "prompt", "decision", f"We leave out {drop} in the final model.", "What do we leave out in the final model?", drop.removeprefix("the "), (drop,)),
        Fact(19, "answer", "name", f"The appendix is to be checked by {people[2]}.", "By whom is the appendix to be checked?", people[2]),
    ]  # fmt: skip
    topics = (
        "load the gauge readings", "clean the timestamps", "look at the sensors", "choose the folds", "count the gaps",
        "look at the notebooks of the crews", "fill the gaps", "fit a baseline", "fit a ridge regression", "derive features",
        "look at the regimes", "choose a loss", "search the penalty", "fit gradient boosting", "evaluate on floods",
        "choose a metric", "train the flood classifier", "draw the figures", "run the ablation", "write the supplement",
        "check the residuals", "compare the seasons", "look at the tails", "summarise for the group",
    )  # fmt: skip

    def prompt(n: int) -> str:
        more = (
            "Show me the table by station before you say what it means.",
            "Please keep the code short; I will paste it into the shared notebook afterwards.",
            "I would like to see both the numbers and what you make of them.",
            "Take the same period as before, without the first winter.",
        )
        return f"Next we {topics[n]}. {rng.choice(more)}"

    def result(n: int) -> list[str]:
        names = ("mean", "std", "q05", "q50", "q95", "bias", "skill")
        lines = [f"{'station':<10}" + "".join(f"{name:>10}" for name in names)]
        for station in STATIONS:
            lines.append(f"{station:<10}" + "".join(f"{number(rng, -3, 90, 3):>10}" for _ in names))
        for month in range(1, 13):
            values = "".join(f"{number(rng, 0, 40, 2):>9}" for _ in range(6))
            lines.append(f"month {month:02d} {values}")
        return [*lines, f"done in {number(rng, 0.4, 90, 2)} s (step {n})"]

    def answer(n: int) -> list[str]:
        said = (
            f"The spread between the stations is larger than the spread between the years; {rng.choice(STATIONS)} stands out.",
            "The winter months carry most of the variance, which is what a snow-fed regime would show.",
            f"The values of {rng.choice(STATIONS)} look shifted by an hour, probably a clock that never left summer time.",
            "I would not trust the upper quantile before the rating curve has been extended.",
            "The residuals are close to symmetric once the two storms are taken out.",
            "Nothing in this table contradicts the earlier result, but the confidence in the tails stays low.",
            f"For {rng.choice(STATIONS)} the bias changes its sign between the dry and the wet season.",
            "If memory becomes a problem the daily means are enough for this step.",
        )
        return list(rng.sample(said, 4))

    code = "frame = load(period)\nsummary = frame.groupby('station').agg(stats)\nprint(summary)\nprint(by_month(frame, step={n}))"
    turns = [_tool_turn(n, prompt(n), code.format(n=n), result(n), answer(n), facts, rng) for n in range(24)]
    return _session("analysis", "A data analysis with the output of tools", "en", turns, facts)


# -- a debugging session, with logs and code ----------------------------------------------------------------------------

SERVICES = ("ingest", "broker", "ledger", "mailer", "quota", "search", "session", "thumbs", "webhook")


def debugging(rng: random.Random) -> dict[str, Any]:
    limit, port, ms, retries, pool = (
        str(rng.randint(2100, 9800)), str(rng.randint(20_000, 60_000)), str(rng.randint(310, 990)),
        str(rng.randint(4, 19)), str(rng.randint(21, 97)),
    )  # fmt: skip
    trace, host, commit, flag, error = (
        hexes(rng, 16), f"node-{hexes(rng, 4)}.int", hexes(rng, 10),
        f"{pick(rng, 'strict', 'lazy', 'eager')}_{pick(rng, 'flush', 'commit', 'drain')}_{rng.randint(2, 9)}", f"E{rng.randint(1000, 9999)}",
    )  # fmt: skip
    people = rng.sample(
        ["Ilse Brandeker", "Kofi Amardu", "Petra Lindqvor", "Nuno Valadar", "Greta Holzen", "Rasmus Ekwald"], 3
    )
    library, culprit = pick(rng, "fastpool", "ringbuf", "tinylock"), pick(rng, "orlo", "kestrel", "fennec", "quillon")
    fix, rollback, alert, lock, test = (
        pick(rng, "a bounded queue", "a per-tenant semaphore", "a token bucket"),
        pick(rng, "roll back only the canary", "roll back both regions", "keep the release and turn the flag off"),
        pick(
            rng, "page the on-call after two minutes", "open a ticket and page nobody", "page after five failed probes"
        ),
        pick(rng, "a read-write lock", "an advisory lock in the database", "no lock but an atomic counter"),
        pick(rng, "a replay of the recorded traffic", "a fuzzed schedule", "a soak test of six hours"),
    )
    facts = [
        Fact(0, "prompt", "name", f"The service that started to time out is {culprit}.", "Which service started to time out?", culprit),
        Fact(1, "result", "identifier", f"WARN slow request kept as sample, trace id {trace}", "What is the trace id of the slow request kept as sample?", trace),
        Fact(2, "result", "number", f"INFO median latency of the canary before the deploy was {ms} ms", "What was the median latency of the canary before the deploy, in ms?", ms),
        Fact(3, "answer", "identifier", f"All failures come from the host {host}.", "From which host do all failures come?", host),
        Fact(4, "prompt", "decision", f"For now we {rollback}.", "What do we do about the release for now?", rollback),
        Fact(5, "result", "number", f"ERROR connection pool exhausted, size of the pool is {pool}", "What is the size of the connection pool that was exhausted?", pool),
        Fact(6, "answer", "name", f"The library that holds the lock too long is {library}.", "Which library holds the lock too long?", library),
        Fact(7, "prompt", "name", f"The person who deployed last night was {people[0]}.", "Who deployed last night?", people[0]),
        Fact(8, "result", "identifier", f"INFO bisect says the first bad commit is {commit}", "Which commit does bisect say is the first bad one?", commit),
        Fact(9, "answer", "decision", f"The fix that we agreed on is {fix}.", "Which fix did we agree on?", fix.removeprefix("a "), (fix,)),
        Fact(10, "result", "number", f"WARN backlog of the dead letter queue has {limit} messages", "How many messages has the backlog of the dead letter queue?", limit),
        Fact(11, "prompt", "identifier", f"The feature flag that changes the write path is {flag}.", "Which feature flag changes the write path?", flag),
        Fact(12, "prompt", "decision", f"For alerting, we {alert}.", "What do we do for alerting?", alert),
        Fact(13, "result", "number", f"INFO debug endpoint listens on port {port}", "On which port does the debug endpoint listen?", port),
        Fact(14, "answer", "name", f"The owner of the retry policy is {people[1]}.", "Who owns the retry policy?", people[1]),
        Fact(15, "answer", "decision", f"The counter is protected by {lock}.", "By what is the counter protected?", lock.removeprefix("a ").removeprefix("an "), (lock,)),
        Fact(16, "result", "identifier", f"ERROR checksum mismatch reported with error code {error}", "With which error code was the checksum mismatch reported?", error),
        Fact(17, "prompt", "number", f"Set the maximum of retries for uploads to {retries}.", "What is the maximum of retries for uploads?", retries),
        Fact(18, "prompt", "decision", f"Before the release we want {test} as the regression test.", "What do we want as the regression test before the release?", test.removeprefix("a "), (test,)),
        Fact(19, "answer", "name", f"The postmortem will be written by {people[2]}.", "Who will write the postmortem?", people[2]),
    ]  # fmt: skip

    def prompt(n: int) -> str:
        return rng.choice(
            (
                f"Here is what the {rng.choice(SERVICES)} side looks like. Look at the log of minute {n} and tell me what you see.",
                f"Run the probe again, this time against {rng.choice(SERVICES)} only, and keep the output.",
                "I do not believe the first explanation. Check the timing around the garbage collection.",
                f"Let us follow one request through {rng.choice(SERVICES)} and {rng.choice(SERVICES)}.",
            )
        )

    def result(n: int) -> list[str]:
        lines = []
        for second in range(26):
            level = rng.choices(("INFO", "DEBUG", "WARN", "ERROR"), (6, 5, 2, 1))[0]
            said = rng.choice(
                (
                    f"handled batch seq={rng.randint(10_000, 99_999)} in {rng.randint(2, 800)} ms",
                    f"cache miss key={hexes(rng, 8)} shard={rng.randint(0, 31)}",
                    f"retrying upstream {rng.choice(SERVICES)} attempt={rng.randint(1, 3)}",
                    f"gc pause {number(rng, 1, 60, 1)} ms heap={rng.randint(200, 900)} MB",
                    f"queue depth={rng.randint(0, 400)} consumers={rng.randint(1, 12)}",
                )
            )
            lines.append(f"12:{n:02d}:{2 * second:02d} {rng.choice(SERVICES):<8} {level} {said}")
        return lines

    def answer(n: int) -> list[str]:
        said = (
            f"The pauses line up with the retries of {rng.choice(SERVICES)}, not with the deploy.",
            "The queue grows only while two consumers hold the same shard, so the order of acquisition matters.",
            "A timeout that is shorter than the pause of the collector will always look like a network fault.",
            f"The cache misses of {rng.choice(SERVICES)} are a consequence, since the keys expire while it waits.",
            "I see no sign of packet loss; the sequence numbers are complete.",
            "```python\nwith self._lock:\n    item = self._queue.get_nowait()\n    self._seen.add(item.key)\nself._handle(item)\n```",
            "The handler runs outside of the lock in this version, which is why the set may already hold the key.",
            "It would be worth logging the age of the oldest message rather than the depth of the queue.",
        )
        return list(rng.sample(said, 4))

    turns = [
        _tool_turn(n, prompt(n), f"tail -n 26 service.log --minute {n}", result(n), answer(n), facts, rng)
        for n in range(24)
    ]
    return _session("debugging", "A debugging session with logs and code", "en", turns, facts)


# -- a discussion in Japanese and Korean --------------------------------------------------------------------------------

JA_NAMES = ("篠原美緒", "大久保航", "水無瀬凛", "長谷部蓮", "柏木遥香", "東雲拓真")
KO_NAMES = ("서하린", "문태오", "강이든", "백소율", "남궁현", "류지안")


def discussion(rng: random.Random) -> dict[str, Any]:
    ja, ko = rng.sample(JA_NAMES, 3), rng.sample(KO_NAMES, 2)
    seats, budget, days, length, boxes = (
        str(rng.randint(112, 389)), str(rng.randint(1200, 9800)), str(rng.randint(17, 58)), str(rng.randint(23, 88)),
        str(rng.randint(103, 497)),
    )  # fmt: skip
    code, shelf, mail, room, ticket = (
        f"KM-{rng.randint(1000, 9999)}-{pick(rng, 'a', 'b', 'c')}", f"R{rng.randint(10, 99)}-{hexes(rng, 4)}",
        f"tenji{rng.randint(100, 999)}@museum.example", f"B{rng.randint(2, 5)}-{rng.randint(101, 198)}", f"TX{hexes(rng, 6)}",
    )  # fmt: skip
    ja_place = pick(rng, "二階の北側展示室", "一階の中庭", "旧館の講堂")
    ja_print = pick(rng, "和紙に活版印刷", "再生紙にオフセット印刷", "布にシルク印刷")
    ko_order = pick(rng, "연대순으로 배열", "주제별로 배열", "지역별로 배열")
    ko_guide = pick(rng, "음성 안내를 쓰지 않는", "수어 영상을 모든 방에 두는", "점자 안내판을 입구에 두는")
    ja_fee = pick(rng, "学生は無料", "平日は半額", "市民は三割引")
    facts = [
        Fact(0, "prompt", "name", f"展覧会の責任者は{ja[0]}さんです。", "展覧会の責任者は誰ですか。", ja[0]),
        Fact(1, "answer", "number", f"講堂の座席は全部で{seats}席です。", "講堂の座席は全部で何席ですか。", seats),
        Fact(2, "prompt", "identifier", f"목판 인쇄본의 유물 번호는 {code}입니다.", "목판 인쇄본의 유물 번호는 무엇입니까?", code),
        Fact(3, "prompt", "decision", f"開会式の場所は{ja_place}に決めました。", "開会式の場所はどこに決めましたか。", ja_place),
        Fact(4, "answer", "name", f"도록 번역을 맡은 사람은 {ko[0]} 선생님입니다.", "도록 번역을 맡은 사람은 누구입니까?", ko[0]),
        Fact(5, "answer", "identifier", f"保存修復の資料は棚番号{shelf}にあります。", "保存修復の資料はどの棚番号にありますか。", shelf),
        Fact(6, "prompt", "number", f"운송 보험료는 {budget}만 원으로 합의했습니다.", "운송 보험료는 몇 만 원으로 합의했습니까?", budget),
        Fact(7, "answer", "decision", f"図録は{ja_print}で作ることになりました。", "図録はどのように作ることになりましたか。", ja_print),
        Fact(8, "prompt", "identifier", f"問い合わせの宛先は{mail}です。", "問い合わせの宛先は何ですか。", mail),
        Fact(9, "answer", "name", f"照明の設計者は{ja[1]}さんに変わりました。", "照明の設計者は誰に変わりましたか。", ja[1]),
        Fact(10, "prompt", "decision", f"전시품은 {ko_order}하기로 결정했습니다.", "전시품은 어떻게 배열하기로 결정했습니까?", ko_order.removesuffix(" 배열"), (ko_order,)),
        Fact(11, "answer", "number", f"借用期間は{days}日間です。", "借用期間は何日間ですか。", days),
        Fact(12, "prompt", "identifier", f"수장고의 방 번호는 {room}입니다.", "수장고의 방 번호는 무엇입니까?", room),
        Fact(13, "answer", "name", f"개막 공연의 연주자는 {ko[1]} 씨입니다.", "개막 공연의 연주자는 누구입니까?", ko[1]),
        Fact(14, "prompt", "number", f"絵巻の長さは{length}尺です。", "絵巻の長さは何尺ですか。", length),
        Fact(15, "answer", "decision", f"관람 안내는 {ko_guide} 쪽으로 정했습니다.", "관람 안내는 어느 쪽으로 정했습니까?", ko_guide),
        Fact(16, "prompt", "identifier", f"통관 접수 번호는 {ticket}입니다.", "통관 접수 번호는 무엇입니까?", ticket),
        Fact(17, "answer", "decision", f"入場料について、{ja_fee}にすると決めました。", "入場料についてどう決めましたか。", ja_fee),
        Fact(18, "prompt", "number", f"포장 상자는 모두 {boxes}개를 주문했습니다.", "포장 상자는 모두 몇 개를 주문했습니까?", boxes),
        Fact(19, "answer", "name", f"記録映像の監督は{ja[2]}さんです。", "記録映像の監督は誰ですか。", ja[2]),
    ]  # fmt: skip
    ja_said = (
        "湿度は午前と午後で少し違うので、記録紙を一日に二度替える必要があります。",
        "古い屏風は光に弱いため、展示替えを二回に分ける案がよいと思います。",
        "来館者の流れを考えると、入口の近くに大きな解説を置かないほうが歩きやすいでしょう。",
        "前回の展示では冬の寒さで糊が剥がれたので、今回は床暖房の出力を下げておきます。",
        "解説文は子どもにも読めるように、漢字に振り仮名を付ける方針で進めています。",
        "輸送の箱は桐と杉の二種類があり、絵の具の状態によって使い分けます。",
        "写真の掲載許可は所蔵館ごとに書式が異なるため、先に一覧を作りました。",
        "試験点灯では、壁の反射が思ったより強く、ガラスの角度を変えることになりました。",
        "雨の日は傘の置き場が足りなくなるので、廊下の端に仮の棚を出します。",
        "会議の記録は翌日までに共有し、異論があれば週末の前に返事をもらいます。",
    )
    ko_said = (
        "습도 변화가 심한 날에는 진열장의 문을 열지 않고 기록만 확인하는 편이 안전합니다.",
        "설명 글은 너무 길면 읽지 않으므로 한 문단을 넘지 않게 다듬고 있습니다.",
        "지난번 전시에서는 동선이 겹쳐서 오후마다 입구가 붐볐습니다.",
        "빌려 오는 작품의 상태 조사서는 두 언어로 작성해 서로 대조합니다.",
        "조명의 색온도를 낮추면 종이의 질감이 더 잘 보인다는 의견이 있었습니다.",
        "어린이를 위한 체험 공간은 소리가 울리지 않도록 천을 덧대기로 하였습니다.",
        "운송 차량은 새벽에 도착하므로 경비실과 미리 연락해 두어야 합니다.",
        "안내 책자의 표지는 아직 시안이 두 가지라서 다음 주에 다시 의논합니다.",
        "겨울에는 바닥이 차가워서 긴 설명회를 열기 어렵다는 지적이 나왔습니다.",
        "사진 촬영은 섬광을 쓰지 않는 조건으로 허락하는 것이 좋겠습니다.",
    )
    asked = (
        "次の議題に移りましょう。準備の状況と心配な点を順番に教えてください。",
        "다음 안건으로 넘어가겠습니다. 준비 상황과 걱정되는 점을 차례로 말해 주십시오.",
    )

    def filler(n: int, most: int) -> list[str]:
        first, second = (ja_said, ko_said) if n % 2 == 0 else (ko_said, ja_said)
        return [*rng.sample(first, most), *rng.sample(second, most - 2)]

    turns = []
    for n in range(24):
        planted = {
            place: [fact.text for fact in facts if (fact.turn, fact.place) == (n, place)]
            for place in ("prompt", "answer")
        }
        prompt = _joined([asked[n % 2], *filler(n, 4), *planted["prompt"], *filler(n + 1, 3)])
        answer = filler(n, 7)
        for text in planted["answer"]:
            answer.insert(rng.randint(1, len(answer) - 1), text)
        said = "\n\n".join(_joined(answer[at : at + 4]) for at in range(0, len(answer), 4))
        turns.append([{"role": "user", "content": [_text(prompt)]}, {"role": "assistant", "content": [_text(said)]}])
    return _session("discussion", "A discussion in Japanese and Korean", "ja, ko", turns, facts)


def _joined(sentences: Sequence[str]) -> str:
    """Korean has a space between sentences, Japanese has none."""
    return "".join(text + " " * text.endswith((".", "?")) for text in sentences).rstrip()


# -- the form -----------------------------------------------------------------------------------------------------------


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _tool_turn(
    n: int, prompt: str, code: str, result: list[str], answer: list[str], facts: Sequence[Fact], rng: random.Random
) -> list[dict[str, Any]]:
    """A turn with one call: its facts stand in the middle of the text of their place."""
    planted = {
        place: [f.text for f in facts if (f.turn, f.place) == (n, place)] for place in ("prompt", "answer", "result")
    }
    for text in planted["result"]:
        result.insert(rng.randint(len(result) // 3, len(result) - 2), text)
    for text in planted["answer"]:
        answer.insert(rng.randint(1, len(answer) - 1), text)
    call = {"type": "tool_use", "id": f"toolu_{n:03d}", "name": "run", "input": {"code": code}}
    return [
        {"role": "user", "content": [_text(" ".join([prompt, *planted["prompt"]]))]},
        {"role": "assistant", "content": [_text("I run it and look at the output."), call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call["id"], "content": "\n".join(result)}]},
        {"role": "assistant", "content": [_text("\n\n".join(answer))]},
    ]


def _session(name: str, title: str, language: str, turns: list[Any], facts: list[Fact]) -> dict[str, Any]:
    questions = [
        {
            "id": f"{name}-{n + 1:02d}",
            "kind": fact.kind,
            "question": fact.question,
            "answer": fact.answer,
            "accept": list(fact.accept),
            "turn": fact.turn,
            "place": fact.place,
        }
        for n, fact in enumerate(facts)
    ]
    return {
        "format": FORMAT,
        "name": name,
        "title": title,
        "language": language,
        "turns": turns,
        "questions": questions,
    }


MAKERS = {"analysis": analysis, "debugging": debugging, "discussion": discussion}


def made(name: str) -> bytes:
    """The JSON of a session, the same on every machine."""
    return json.dumps(
        MAKERS[name](random.Random(f"corpus {FORMAT} {name}")), ensure_ascii=False, separators=(",", ":")
    ).encode()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    FOLDER.mkdir(exist_ok=True)
    stale = []
    for name in MAKERS:
        path, data = FOLDER / f"{name}.json.gz", made(name)
        if path.exists() and gzip.decompress(path.read_bytes()) == data:
            continue
        stale.append(path.name)
        if not check:
            path.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{'stale' if check else 'written'}: {', '.join(stale) or 'nothing'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
