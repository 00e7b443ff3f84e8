"""What restoring takes, for every table that there is."""

from sophia.capabilities.reverting.renewal import PLAIN, RENEWED
from sophia.store.rules import RULES
from tests.support.beneath import bare
from tests.support.house import house


def test_of_every_journaled_table_it_is_said_what_is_made_anew():
    journaled = {name for name, rule in RULES.items() if rule.journaled}
    assert RENEWED.keys() | PLAIN == journaled
    assert not RENEWED.keys() & PLAIN


def test_what_names_a_row_is_found_by_an_index():
    """Else taking back many rows would look through a whole table for each of them."""
    with house() as home, bare(home.ownership, home.keys) as db:
        for name in RULES:
            led = {
                db.execute(f"PRAGMA index_info({row[1]})").fetchall()[0][2]
                for row in db.execute(f"PRAGMA index_list({name})").fetchall()
            }
            for row in db.execute(f"PRAGMA foreign_key_list({name})").fetchall():
                assert row[3] in led | {"id"}, f"{name}.{row[3]} has no index"
