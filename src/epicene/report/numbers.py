"""How a number is shown: one way for the terminal, the page, LaTeX and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epicene.records import Column, Estimate

DASH = "–"

_P_DECIMALS = 3  # a p-value is never shown with fewer


def show(cell: Estimate | str, column: Column) -> str:
    """A cell as people read it: `81.2* [78.0, 84.1]`, a dash where undefined, text as it is."""
    if isinstance(cell, str):
        return cell
    if cell.value is None:
        return DASH
    return f"{digits(cell.value, column)}{cell.mark} {interval(cell, column)}".rstrip()


def interval(estimate: Estimate, column: Column) -> str:
    """`[78.0, 84.1]`, or nothing where there is none."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    return f"[{digits(estimate.low, column)}, {digits(estimate.high, column)}]"


def digits(value: float, column: Column) -> str:
    """One bare number in the column's unit: a share as per cent, a p-value as `.043` or `<.001`."""
    match column.unit:
        case "share":
            text = f"{100 * value:.{column.decimals}f}"
        case "count":
            text = f"{value:.0f}"
        case "p":
            return _p(value, max(_P_DECIMALS, column.decimals))
        case "number" | "text":
            text = f"{value:.{column.decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _p(value: float, decimals: int) -> str:
    smallest = 10.0**-decimals
    if value < smallest:
        return f"<{smallest:.{decimals}f}".replace("0.", ".", 1)
    return f"{value:.{decimals}f}".removeprefix("0")


def heading(column: Column) -> str:
    """A column's name, with the sign that its bare numbers leave out."""
    return (
        f"{column.name} (%)" if column.unit == "share" and "%" not in column.name else column.name
    )
