"""A slow, obvious twin of what an EV is made of: one pair's payment, clause by clause."""

from collections import Counter

import naive_rules
from naive_rules import ROWS, Rules, State


def pair_parts(a: State, b: State, rules: Rules, banker: int = 0) -> Counter[str]:
    """What b pays a for each clause, if a sets and nobody fouls; absent is 0.

    `banker` as of `naive_rules.pair_payment`.
    """
    if b["declare"]:
        return Counter(naturals=naive_rules.pair_payment(a, b, rules))
    if b["surrender"]:
        return Counter(surrender=naive_rules.pair_payment(a, b, rules))
    strict = naive_rules.strict_results(a, b, rules)
    results = dict(zip(ROWS, (result or banker for result in strict), strict=True))
    parts = Counter({row: rules["rows"][row] * results[row] for row in ROWS})
    lead = sum(results.values())
    most = max(list(results.values()).count(1), list(results.values()).count(-1))
    if lead and (most >= 2 or rules["majority_rule"] == "more-wins"):
        parts["majority"] = rules["majority"] if lead > 0 else -rules["majority"]
    swept = naive_rules.gunner(a, b, rules)
    parts["scoop"] = swept * rules["scoop_units"]
    both = rules["royalties"]["collect"] == "both"
    for player, sign, name in ((a, 1, "royalties_won"), (b, -1, "royalties_paid")):
        rows = [row for row in ROWS if both or results[row] == sign]
        parts[name] = sign * naive_rules.royalties_paid(player, rows, rules)
        parts["broken"] += sign * naive_rules.broken_royalty(player, rules)
    if swept:
        outside = parts["broken"] + both * (parts["royalties_won"] + parts["royalties_paid"])
        parts["gun"] = (rules["gun"] - 1) * (parts.total() - outside)
    return parts
