"""The model of usual weather: its percentiles, its years and its windows of days."""

from datetime import date, timedelta

import pytest

import usual_model
from usual_model import percentile, summary, usual, whole_years, window

YEARS = list(range(2016, 2026))


def sample(**changes):
    return {"temperature_2m_max": 20.0, "temperature_2m_min": 10.0, "precipitation_sum": 0.0, "cloud_cover_mean": 10,
            "wind_speed_10m_max": 10.0, "wind_gusts_10m_max": 15.0, **changes}


@pytest.mark.parametrize("values, share, expected", [
    ([5.0], 0.1, 5.0), ([1.0, 2.0], 0.5, 1.5), ([3.0, 1.0, 2.0], 0.5, 2.0), (range(11), 0.1, 1.0), (range(11), 0.9, 9.0),
    (range(70), 0.1, 6.9), (range(70), 0.9, 62.1), ([1.0, 2.0, 3.0, 4.0], 0.9, 3.7), (range(5), 0.0, 0), (range(5), 1.0, 4),
])
def test_percentiles_are_linear_between_ranks(values, share, expected):
    assert percentile(values, share) == pytest.approx(expected)


@pytest.mark.parametrize("today, last", [
    (date(2026, 12, 1), 2025), (date(2026, 1, 10), 2025), (date(2026, 1, 9), 2024), (date(2026, 1, 1), 2024), (date(2025, 12, 31), 2024),
])
def test_a_year_is_whole_from_10_january_on(today, last):
    assert whole_years(today) == list(range(last - 9, last + 1))


def test_a_window_is_seven_days_with_the_date_in_the_middle():
    days = window(7, 15, 2020)
    assert len(days) == 7 and days[3] == date(2020, 7, 15)
    assert all(later - day == timedelta(days=1) for day, later in zip(days, days[1:]))


def test_a_leap_day_has_six_days_in_other_years():
    assert window(2, 29, 2025) == [date(2025, 2, 26), date(2025, 2, 27), date(2025, 2, 28), date(2025, 3, 1), date(2025, 3, 2),
                                   date(2025, 3, 3)]
    assert window(2, 29, 2024) == [date(2024, 2, 29) + timedelta(days=i) for i in range(-3, 4)]
    # Of the ten years to 2025, three have the day.
    assert len(usual_model.samples(60.39, 5.32, date(2028, 2, 29), date(2026, 12, 1))) == 3 * 7 + 7 * 6


def test_the_days_beside_a_leap_day_count_as_the_calendar_does():
    assert window(3, 1, 2024)[:3] == [date(2024, 2, 27), date(2024, 2, 28), date(2024, 2, 29)]
    assert window(3, 1, 2025)[:3] == [date(2025, 2, 26), date(2025, 2, 27), date(2025, 2, 28)]


def test_a_window_goes_over_the_years_turn():
    assert window(1, 1, 2020) == [date(2019, 12, 29) + timedelta(days=i) for i in range(7)]
    assert window(12, 31, 2025)[-1] == date(2026, 1, 3)
    # The last year's window reaches into this year, whose first days are known by the time that the year counts.
    assert usual(60.39, 5.32, date(2026, 12, 31), date(2026, 1, 10)).samples == 70


def test_fewer_than_fifty_samples_say_nothing():
    assert summary([sample()] * 49, YEARS) is None
    assert summary([sample()] * 50, YEARS).samples == 50
    assert summary([sample()] * 49 + [sample(precipitation_sum=None)], YEARS) is None


def test_a_millimetre_is_wet_and_a_degree_is_snow():
    dry = summary([sample(precipitation_sum=0.99)] * 70, YEARS)
    assert (dry.wet_share, dry.kind, dry.sky) == (0, "rain", "clear")
    wet = summary([sample(precipitation_sum=1.0)] * 35 + [sample()] * 35, YEARS)
    assert (wet.wet_share, wet.sky, wet.precipitation) == (0.5, "rain", 0.5)
    assert summary([sample(precipitation_sum=1.0, temperature_2m_max=1.0)] * 70, YEARS).sky == "snow"
    assert summary([sample(precipitation_sum=1.0, temperature_2m_max=1.1)] * 70, YEARS).sky == "rain"


@pytest.mark.parametrize("clouds, expected", [(29, "clear"), (30, "partlyCloudy"), (70, "partlyCloudy"), (71, "overcast")])
def test_a_dry_sky_is_told_by_its_clouds(clouds, expected):
    assert summary([sample(cloud_cover_mean=clouds)] * 70, YEARS).sky == expected


def test_it_is_plausible_north_and_south():
    today = date(2026, 12, 1)
    for latitude, warm, cold in ((60.39, date(2027, 7, 20), date(2027, 1, 20)), (-33.87, date(2027, 1, 20), date(2027, 7, 20))):
        summer, winter = usual(latitude, 5.32, warm, today), usual(latitude, 5.32, cold, today)
        assert summer.samples == winter.samples == 70
        assert summer.maximum.mean > winter.maximum.mean + 3
        assert summer.maximum.low < summer.maximum.mean < summer.maximum.high
        assert (summer.first_year, summer.last_year) == (2016, 2025)


def test_every_sky_occurs_somewhere():
    found = {usual(latitude, longitude, date(2027, 1, 15), date(2026, 12, 1)).sky
             for latitude in range(-60, 81, 10) for longitude in range(-175, 180, 10)}
    assert found == {"clear", "partlyCloudy", "overcast", "rain", "snow"}
