"""A metric defined by one function of the frame of judgements."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.suites.default_results import UNDETECTED
from epicene.suites.headline_metrics import HeadlineMetric

if TYPE_CHECKING:
    from epicene.suites import Results
    from epicene.suites.definition_functions import UserFunction
    from epicene.suites.headline_metrics import MetricUnit


class UserMetric:
    """A user's metric: a number gets its interval from leaving out groups."""

    def __init__(self, function: UserFunction, unit: MetricUnit) -> None:
        if function.name == UNDETECTED:
            raise InputError(f"Every suite already has a metric {UNDETECTED}; rename yours.")
        function.check_parameters("frame")
        self.name = function.name
        self._function = function
        self._unit = unit

    @property
    def headline(self) -> HeadlineMetric:
        """The metric as a headline by which models are compared."""
        return HeadlineMetric(
            name=self.name, estimate=self.estimate, unit=self._unit, by_language=False
        )

    def estimate(self, results: Results[Any]) -> Estimate:
        """The metric of these results, with its interval."""
        from epicene.stats.intervals import statistic_of_rows
        from epicene.stats.tabulate import group_codes

        frame = results.frame
        value = self._function.about_all(frame)
        if isinstance(value, Estimate):
            return value
        if value is None:
            return Estimate(value=None, why="it is undefined for these data")
        if not isinstance(value, Real):
            raise InputError(
                f"The metric {self._function.place} returned a {type(value).__name__}; it must "
                "return a number, an Estimate or None."
            )

        def left_out(rows: Any) -> float | None:
            try:
                return self._function.about_all(frame[rows])  # type: ignore[no-any-return]
            except InputError:  # fewer rows may lack what the function needs
                return None

        return statistic_of_rows(left_out, group_codes(frame))
