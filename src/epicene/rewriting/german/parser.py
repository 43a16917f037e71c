"""Collect the sites of a text: what people are, and the pronouns of those spoken about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.german.pronouns import read_third_persons
from epicene.rewriting.german.roles import Roles
from epicene.rewriting.german.sites import Sites

if TYPE_CHECKING:
    from epicene.rewriting.german.line import Line
    from epicene.rewriting.persons import TargetGenders
    from epicene.rewriting.quotations import Passage


def find_sites(
    passage: Passage[Line], wanted: TargetGenders, *, generic_plurals: bool = False
) -> Sites:
    """The sites of everybody; pronouns of others only where they are asked for.

    Plurals that name women too are among them only with `generic_plurals`.
    """
    sites = Sites()
    roles = Roles(passage.line, passage.interlocutors, sites, generic_plurals=generic_plurals)
    roles.read()
    if "others" in wanted:
        read_third_persons(roles)
    return sites
