"""`epicene suites`: list the suites."""

from __future__ import annotations

from epicene.cli.options import AsJson


def suites(as_json: AsJson = False) -> None:
    """List the suites with their languages, protocols and the models they need."""
    import msgspec

    from epicene.cli.output import print_json
    from epicene.core import registry
    from epicene.core.records import verb
    from epicene.suites import find_suite

    found = [find_suite(name) for name in registry.names("suites")]
    if as_json:
        print_json(
            {
                suite.name: {
                    **msgspec.to_builtins(suite.card),
                    "protocols": {p.name: p.about for p in suite.protocols.values()},
                    "roles": {
                        role.name: sorted(verb(kind) for kind in suite.verbs_of(role.name))
                        for role in suite.roles
                    },
                }
                for suite in found
            }
        )
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("suite", "what", "languages", "protocols", "needs")
    for suite in found:
        needs = [
            f"{role.name}: {', '.join(sorted(verb(kind) for kind in suite.verbs_of(role.name)))}"
            for role in suite.roles
        ]
        table.add_row(
            suite.name,
            suite.card.title,
            " ".join(suite.card.languages),
            " ".join(suite.protocols),
            "\n".join(needs),
        )
    Console().print(table)
