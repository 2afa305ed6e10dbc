"""Which of two lines stays where there is room for one."""

from callsheet.core.history.summary.ranking import shape, usefulness, worth
from callsheet.model.history import Line


def named(section, text, *numbers):
    return Line(section, text, text, numbers=numbers or (90,))


def better(lines, one, other, newest=100):
    found = worth(lines, {(line.section, line.key): 4 for line in lines}, newest)
    return found[one.section, one.key] > found[other.section, other.key]


def test_what_came_up_lately_is_worth_more_than_what_came_up_long_ago():
    assert usefulness((99,), 1, 100) > usefulness((80,), 1, 100) > usefulness((2,), 1, 100)


def test_of_two_names_as_old_the_one_that_came_up_more_often_is_worth_more():
    assert usefulness((80,), 5, 100) > usefulness((80,), 1, 100)


def test_a_name_of_a_shape_that_calls_take_up_is_worth_more_than_one_of_a_shape_that_is_only_shown():
    taken = [named("identifiers", f"AUF-{at}") for at in (39745, 27611, 92478)]
    times = [named("found", f"{at}:05") for at in range(10, 18)]
    order, time = named("found", "AUF-11111"), named("found", "23:05")
    assert better([*taken, *times, order, time], order, time)


def test_where_nothing_was_taken_up_no_shape_is_worth_more():
    order, time = named("found", "AUF-11111"), named("found", "23:05")
    found = worth([order, time], {("found", "AUF-11111"): 4, ("found", "23:05"): 4}, 100)
    assert len(set(found.values())) == 1


def test_the_shape_of_a_name_does_not_say_which_name_it_is():
    assert shape(named("found", "HAT136")) == shape(named("found", "HAT039")) != shape(named("found", "hat-039"))
    assert shape(named("found", "10.0.0.7")) == shape(named("found", "192.168.17.4"))
    assert shape(Line("commands", "make all", "make all")) == ""
