"""The rules by which measurements are judged, on numbers made by hand."""

from __future__ import annotations

import pytest

from ackclock.batch.study import (
    Claim,
    Judged,
    Reference,
    Replications,
    Settings,
    Table,
    Undetermined,
    Value,
    Verdict,
    judge,
    spread,
)
from ackclock.batch.study.rule import ENOUGH_RUNS, as_referred
from ackclock.scenario import ScenarioError

GOOD, BAD, DEPENDS, OPEN = Verdict.REPRODUCED, Verdict.CONTRADICTED, Verdict.DEPENDS, Verdict.UNDETERMINED


def claim(rule: str, published: str | list[str], **more: object) -> Claim:
    given = {"id": "x", "where": "page", "words": "so", "quantity": "q", "rule": rule, "published": published}
    return Claim.of({**given, "settings": "printed", **more})


@pytest.mark.parametrize(
    ("rule", "published", "tolerance", "measured", "verdict"),
    [
        ("digits", "0.10", 0.0, "0.10", GOOD),
        ("digits", "0.10", 0.0, "0.1", BAD),
        ("rounded", "2.58", 0.0, 2.5760, GOOD),
        ("rounded", "2.57", 0.0, 2.5760, BAD),
        ("truncated", "2.57", 0.0, 2.5760, GOOD),
        ("truncated", "2.57", 0.0, 2.5699, BAD),
        ("rounded", "1300", 0.0, 1299.6, GOOD),
        ("within", "1.101", 0.001, 1.1012, GOOD),
        ("within", "1.101", 0.001, 1.102, GOOD),
        ("within", "1.101", 0.001, 1.1021, BAD),
        ("within", "200", "10 %", 180.0, GOOD),
        ("within", "200", "10 %", 179.9, BAD),
        ("within", "2", "10 %", {"a": 6.0, "b": 3.0}, GOOD),
        ("between", ["0.15", "0.25"], 0.0, 0.15, GOOD),
        ("between", ["0.15", "0.25"], 0.0, 0.26, BAD),
        ("at_least", "1", 0.0, 1.0, GOOD),
        ("at_least", "1", 0.0, 0.99, BAD),
        ("at_most", "1", 0.0, 1.0, GOOD),
        ("at_most", "1", 0.0, 1.01, BAD),
        ("order", ["a", "b", "c"], 0.0, {"c": 1.0, "a": 3.0, "b": 2.0}, GOOD),
        ("order", ["a", "b", "c"], 0.0, {"c": 1.0, "a": 2.0, "b": 2.0}, BAD),
        ("order", ["a", "b"], "5 %", {"a": 1.96, "b": 2.0}, GOOD),
        ("order", ["a", "b"], "5 %", {"a": 1.89, "b": 2.0}, BAD),
        ("highest", "a", 0.0, {"a": 3.0, "b": 2.0}, GOOD),
        ("highest", "a", 0.0, {"a": 2.0, "b": 2.0}, BAD),
        ("highest", "a", "5 %", {"a": 2.0, "b": 2.05}, GOOD),
        ("lowest", "a", 0.0, {"a": 1.0, "b": 2.0}, GOOD),
        ("lowest", "a", 0.0, {"a": 3.0, "b": 2.0}, BAD),
        ("trend", "rises", 0.0, [1.0, 2.0, 3.0], GOOD),
        ("trend", "rises", 0.0, [1.0, 3.0, 2.9], BAD),
        ("trend", "rises", "10 %", [1.0, 3.0, 2.9], GOOD),
        ("trend", "rises", "90 %", [3.0, 2.0, 1.0], BAD),
        ("trend", "falls", 0.0, [3.0, 2.0, 1.0], GOOD),
        ("trend", "falls", "10 %", [3.0, 2.0, 2.3], BAD),
        ("trend", "flat", "10 %", [2.0, 2.1, 1.95], GOOD),
        ("trend", "flat", "10 %", [2.0, 2.3], BAD),
        ("closest", "100", "5 %", {"a": 50.0, "b": 104.0}, GOOD),
        ("closest", "100", "5 %", {"a": 50.0, "b": 106.0}, BAD),
    ],
)
def test_rules(
    rule: str, published: str | list[str], tolerance: float | str, measured: Value, verdict: Verdict
) -> None:
    assert judge(claim(rule, published, tolerance=tolerance, deterministic=True), measured).verdict is verdict


@pytest.mark.parametrize(
    ("rule", "measured"),
    [("at_least", "nonesuch"), ("at_least", [1.0, 2.0]), ("highest", 2.0), ("highest", {"b": 1.0}), ("trend", [1.0])],
)
def test_a_measurement_of_another_kind_is_an_error(rule: str, measured: Value) -> None:
    published = {"highest": "a", "trend": "rises"}.get(rule, "1")
    with pytest.raises(ValueError, match=f"claim x: rule {rule}"):
        judge(claim(rule, published), measured)


def test_a_claim_that_holds_for_one_seed_only_says_so() -> None:
    at_least = claim("at_least", "10")
    judged = judge(at_least, Replications([11.0, *[9.0] * 19]))
    assert (judged.verdict, judged.says) == (DEPENDS, "on the seed: holds in 1 of 20")
    judged = judge(at_least, Replications([11.0, 9.0, 9.0], base=12.0))
    assert judged.says == "on the seed: holds in the base run and in 1 of 3 others"
    judged = judge(at_least, Replications([11.0, 11.0], base=9.0))
    assert judged.says == "on the seed: does not hold in the base run; holds in 2 of 2 others"


def test_replications_that_agree() -> None:
    at_least = claim("at_least", "10")
    assert judge(at_least, Replications([11.0, 12.0, 11.5, 11.5], base=13.0)).verdict is GOOD
    assert judge(at_least, Replications([9.0, 8.0, 8.5, 8.5], base=7.0)).verdict is BAD
    assert judge(at_least, Replications([11.0] * 5)) == Judged(GOOD, "in each of 5 runs")


def test_too_few_runs_decide_nothing() -> None:
    # A claim that holds in half of all runs passes 4 of them with probability 1/16 = 0.0625, 5 with 1/32 = 0.03125.
    assert 0.5**ENOUGH_RUNS < 0.05 < 0.5 ** (ENOUGH_RUNS - 1)
    at_least = claim("at_least", "10")
    for measured in (11.0, 9.0, Replications([], base=11.0), Settings({"a": 11.0, "b": 12.0})):
        assert judge(at_least, measured).verdict is OPEN, measured
    judged = judge(at_least, Replications([11.0, 11.0], base=12.0))
    assert judged == Judged(OPEN, "it holds in each of 3 runs, and fewer than 5 do not decide", too_few=True)
    assert judge(at_least, Replications([9.0] * 4)).verdict is OPEN
    assert judge(at_least, Replications([9.0, 11.0])).verdict is DEPENDS, "two runs that differ do decide"
    assert judge(claim("at_least", "10", judged="base"), Replications([9.0] * 9, base=11.0)).verdict is OPEN


@pytest.mark.parametrize("rule", ["digits", "rounded", "truncated"])
def test_digits_are_those_of_one_run(rule: str) -> None:
    value = "5722" if rule == "digits" else 5722.0
    assert judge(claim(rule, "5722"), value).verdict is GOOD
    assert judge(claim(rule, "5723"), value).verdict is BAD


def test_without_random_numbers_one_run_decides() -> None:
    at_least = claim("at_least", "10", deterministic=True)
    assert judge(at_least, 11.0).verdict is GOOD and judge(at_least, 9.0).verdict is BAD
    assert judge(at_least, Replications([11.0], base=11.0)).verdict is GOOD
    with pytest.raises(ValueError, match="claim x: it is said to be deterministic"):
        judge(at_least, Replications([11.0, 11.1], base=11.0))


def test_a_mean_is_judged_by_its_interval() -> None:
    # mean 10, standard deviation 1, n 4: Student's 3.182 * 1 / 2 = 1.591 (any table of the distribution)
    values = [9.0, 9.0, 11.0, 11.0]
    found = spread(values)
    assert found is not None and found.half is not None
    assert found.half == pytest.approx(3.182 * (4 / 3) ** 0.5 / 2, rel=1e-3)
    assert (found.mean, found.least, found.most, found.n) == (10.0, 9.0, 11.0, 4)
    mean = Replications(values)
    assert judge(claim("at_least", "8", judged="mean"), mean).verdict is GOOD
    assert judge(claim("at_least", "12", judged="mean"), mean).verdict is BAD
    assert judge(claim("at_least", "10", judged="mean"), mean).verdict is OPEN
    assert judge(claim("within", "10", judged="mean", tolerance=2.0), mean).verdict is GOOD
    assert judge(claim("within", "14", judged="mean", tolerance=2.0), mean).verdict is BAD


def test_identical_seeds_are_one_run_without_an_interval() -> None:
    found = spread([10.0, 10.0, 10.0])
    assert found is not None and found.half is None and "±" not in str(found)
    told = judge(claim("at_least", "10", judged="mean"), Replications([10.0, 10.0, 10.0]))
    assert (told.verdict, told.says) == (GOOD, "10 with each of 3 seeds")
    assert judge(claim("at_least", "12", judged="mean"), Replications([10.0, 10.0, 10.0])).verdict is BAD


def test_a_quotient_by_zero_is_infinite() -> None:
    some = {"a": 3.0, "b": 0.0}
    assert judge(claim("at_least", "1", deterministic=True), some).verdict is GOOD
    assert judge(claim("at_most", "1", deterministic=True), some).verdict is BAD
    assert spread([some, {"a": 1.0, "b": 2.0}]) is None
    with pytest.raises(ValueError, match="0 / 0"):
        judge(claim("at_least", "1"), {"a": 0.0, "b": 0.0})


def test_settings_that_differ() -> None:
    at_least = claim("at_least", "1.5", depends_on="the window", deterministic=True)
    judged = judge(at_least, Settings({"8000 packets": 1.9, "14 packets": 1.1}))
    assert judged.verdict is DEPENDS
    assert judged.says == "on the window: holds with 8000 packets; does not hold with 14 packets"
    assert judge(at_least, Settings({"a": 1.9, "b": 1.6})).verdict is GOOD
    at_least = claim("at_least", "1.5", depends_on="the window")
    judged = judge(at_least, Settings({"a": Replications([1.0, 2.0]), "b": Replications([2.0] * 5), "c": 2.0}))
    assert judged.says == (
        "on the window: holds with b; with a on the seed: holds in 1 of 2; cannot be determined with c"
    )


#: Settings that a claim of at least 1.5 meets, misses, meets with some seeds, and leaves open, as the rules above say.
HOLDS, FAILS = Replications([2.0] * 5), Replications([1.0] * 5)
BY_SEED, UNKNOWN = Replications([1.0, 2.0]), Undetermined("the figure is lost")
SEED_WORDS = "on the seed: holds in 1 of 2"


@pytest.mark.parametrize(
    ("settings", "verdict", "says"),
    [
        ({"a": HOLDS}, GOOD, "with each: a"),
        ({"a": FAILS}, BAD, "with each: a"),
        ({"a": UNKNOWN}, OPEN, "with each: a: the figure is lost"),
        ({"a": BY_SEED}, DEPENDS, f"on the queue: with a {SEED_WORDS}"),
        ({"a": HOLDS, "b": HOLDS}, GOOD, "with each: a, b"),
        ({"a": FAILS, "b": FAILS}, BAD, "with each: a, b"),
        ({"a": BY_SEED, "b": BY_SEED}, DEPENDS, f"on the queue: with a {SEED_WORDS}; with b {SEED_WORDS}"),
        ({"a": UNKNOWN, "b": UNKNOWN}, OPEN, "with each: a, b: the figure is lost"),
        ({"a": HOLDS, "b": FAILS}, DEPENDS, "on the queue: holds with a; does not hold with b"),
        ({"a": FAILS, "b": HOLDS}, DEPENDS, "on the queue: holds with b; does not hold with a"),
        ({"a": HOLDS, "b": BY_SEED}, DEPENDS, f"on the queue: holds with a; with b {SEED_WORDS}"),
        ({"a": FAILS, "b": BY_SEED}, DEPENDS, f"on the queue: does not hold with a; with b {SEED_WORDS}"),
        # Nothing was shown to differ.
        ({"a": HOLDS, "b": UNKNOWN}, OPEN, "holds with a; cannot be determined with b: the figure is lost"),
        ({"b": UNKNOWN, "a": HOLDS}, OPEN, "holds with a; cannot be determined with b: the figure is lost"),
        ({"a": FAILS, "b": UNKNOWN}, OPEN, "does not hold with a; cannot be determined with b: the figure is lost"),
        # What depends by itself does, whatever the other is.
        ({"a": BY_SEED, "b": UNKNOWN}, DEPENDS, f"on the queue: with a {SEED_WORDS}; cannot be determined with b"),
        (
            {"a": HOLDS, "b": FAILS, "c": BY_SEED},
            DEPENDS,
            f"on the queue: holds with a; does not hold with b; with c {SEED_WORDS}",
        ),
        (
            {"a": HOLDS, "b": FAILS, "c": UNKNOWN},
            DEPENDS,
            "on the queue: holds with a; does not hold with b; cannot be determined with c",
        ),
        (
            {"a": HOLDS, "b": BY_SEED, "c": UNKNOWN},
            DEPENDS,
            f"on the queue: holds with a; with b {SEED_WORDS}; cannot be determined with c",
        ),
        (
            {"a": FAILS, "b": BY_SEED, "c": UNKNOWN},
            DEPENDS,
            f"on the queue: does not hold with a; with b {SEED_WORDS}; cannot be determined with c",
        ),
        (
            {"a": HOLDS, "b": FAILS, "c": BY_SEED, "d": UNKNOWN},
            DEPENDS,
            f"on the queue: holds with a; does not hold with b; with c {SEED_WORDS}; cannot be determined with d",
        ),
        (
            {"a": HOLDS, "b": HOLDS, "c": Undetermined("no trace"), "d": UNKNOWN},
            OPEN,
            "holds with a, b; cannot be determined with c, d",
        ),
        ({}, OPEN, "no setting was measured"),
    ],
)
def test_depends_needs_a_difference_that_was_shown(
    settings: dict[str, Replications | Undetermined], verdict: Verdict, says: str
) -> None:
    judged = judge(claim("at_least", "1.5", depends_on="the queue"), Settings(settings))
    assert (judged.verdict, judged.says) == (verdict, says)


def test_a_setting_with_too_few_runs_leaves_the_claim_open_to_more() -> None:
    at_least = claim("at_least", "1.5", depends_on="the queue")
    judged = judge(at_least, Settings({"a": HOLDS, "b": Replications([2.0] * 4)}))
    assert judged.verdict is OPEN and judged.too_few
    assert judged.says == (
        "holds with a; cannot be determined with b: it holds in each of 4 runs, and fewer than 5 do not decide"
    )
    assert not judge(at_least, Settings({"a": HOLDS, "b": UNKNOWN})).too_few
    # A mean of 10 ± 1.84 (above) lies across the bound of 9, and one of 12 with each seed above it.
    mean = claim("at_least", "9", judged="mean", depends_on="the queue")
    judged = judge(mean, Settings({"a": Replications([12.0] * 4), "b": Replications([9.0, 9.0, 11.0, 11.0])}))
    assert judged.verdict is OPEN and not judged.too_few
    assert judged.says.startswith("holds with a; cannot be determined with b: mean 10 ± 1.84 of 4 seeds: the interval")


def test_what_cannot_be_determined() -> None:
    assert judge(claim("at_least", "1"), Undetermined("the figure is lost")).verdict is OPEN
    judged = judge(claim("undetermined", "", note="no numbers survive"), 3.0)
    assert (judged.verdict, judged.says) == (OPEN, "no numbers survive")


def test_the_reference_is_checked_apart_from_the_paper() -> None:
    wrong_paper = claim("rounded", "3257", reference={"value": "3957", "verdict": "contradicted"})
    judged = judge(wrong_paper, 3957.0)
    assert judged.verdict is BAD and as_referred(wrong_paper, 3957.0, judged) is True
    assert as_referred(wrong_paper, 3958.0, judge(wrong_paper, 3958.0)) is False
    many = Replications([3257.0, 2.0], base=3957.0)
    assert as_referred(wrong_paper, many, judge(wrong_paper, many)) is False, "here the seeds decide the verdict"
    assert as_referred(claim("rounded", "3257"), 1.0, judge(claim("rounded", "3257"), 1.0)) is None
    decided = claim("at_least", "1", reference={"verdict": "reproduced"})
    assert as_referred(decided, 2.0, judge(decided, 2.0)) is None, "one run is not the verdict of many"
    many = Replications([2.0] * 5)
    assert as_referred(decided, many, judge(decided, many)) is True
    many = Replications([0.0] * 5)
    assert as_referred(decided, many, judge(decided, many)) is False
    assert Reference(value="1.94").tolerance is None
    near = claim("at_least", "1", reference={"value": "1.94", "tolerance": 0.06})
    assert as_referred(near, 1.99, judge(near, 1.99)) is True
    assert as_referred(near, 2.01, judge(near, 2.01)) is False
    named = claim("highest", "a", reference={"value": {"a": "2.0", "b": "1"}})
    assert as_referred(named, {"a": 2.04, "b": 1.0}, judge(named, {"a": 2.04, "b": 1.0})) is True
    assert as_referred(named, {"a": 2.06, "b": 1.0}, judge(named, {"a": 2.06, "b": 1.0})) is False


def test_a_table_is_a_claim_for_each_number() -> None:
    table = Table.of(
        {
            "id": "t",
            "title": "Table 1",
            "where": "page 2",
            "columns": ["a", "b"],
            "rows": ["sent", "%"],
            "published": [["10", ""], ["2.57", "3.10"]],
            "rule": "rounded",
            "settings": "inferred",
            "reference": {"values": [["10", ""], ["2.58", ""]]},
            "cell": [
                {"row": "%", "rule": "truncated", "settings": "fitted"},
                {"row": "%", "column": "b", "note": "odd"},
            ],
        }
    )
    claims = {claim.id: claim for claim in table.claims()}
    assert list(claims) == ["t/sent/a", "t/%/a", "t/%/b"]
    assert [claim.rule for claim in claims.values()] == ["rounded", "truncated", "truncated"]
    assert [claim.settings for claim in claims.values()] == ["inferred", "fitted", "fitted"]
    assert claims["t/%/b"].note == "odd" and claims["t/%/b"].reference is None
    assert claims["t/%/a"].reference is not None and claims["t/%/a"].reference.value == "2.58"


def test_runs_and_look_of_a_table_name_the_cell() -> None:
    table: dict[str, object] = {"id": "t", "title": "T", "where": "p", "rule": "rounded", "settings": "printed"}
    table |= {"columns": ["a", "b"], "rows": ["s", "%"], "published": [["1", "2"], ["3", "4"]]}
    cell = [{"column": "b", "runs": ["{row}/bee"]}]
    made = Table.of({**table, "runs": ["{row}/{column}"], "look": "grep {column} out.tr", "cell": cell})
    assert [claim.runs for claim in made.claims()] == [["s/a"], ["s/bee"], ["%/a"], ["%/bee"]]
    assert [claim.look for claim in made.claims()] == ["grep a out.tr", "grep b out.tr"] * 2


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"published": [["10"]]}, "1 rows here and 2 names"),
        ({"published": [["10", "11"], ["2"]]}, r"published\.1.*1 cells in the row %"),
        ({"published": [["10", "x"], ["2", "3"]]}, r"published\.0\.1 = \"x\": expected a number"),
        ({"cell": [{"row": "nonesuch"}]}, r"cell\.0\.row"),
    ],
)
def test_a_table_of_another_shape_is_an_error(changed: dict[str, object], says: str) -> None:
    table = {"id": "t", "title": "T", "where": "p", "columns": ["a", "b"], "rows": ["s", "%"], "rule": "rounded"}
    table["settings"] = "printed"
    with pytest.raises(ScenarioError, match=says):
        Table.of({**table, "published": [["1", "2"], ["3", "4"]], **changed})
