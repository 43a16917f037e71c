"""Small files and audits of them, for tests."""

from __future__ import annotations

import json
from pathlib import Path

from epicene.localisation.audit.files import AuditedString, FileAudit
from epicene.localisation.audit.writers import write_audit

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&<!--\u202e]]>\u2028"

STRINGS = {
    "account.ready": "Vous êtes prêt.",
    "account.welcome": "Vous êtes inscrit(e).",
    "account.saved": "Le fichier a été enregistré.",
    "mail.mixed": "Je suis prêt et contente.",
    "team.admins": "Rôle : administrateur",
}


def write_strings(path: Path, strings: dict[str, str]) -> Path:
    """A JSON file of strings."""
    path.write_text(json.dumps(strings, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def run(audit: FileAudit) -> list[AuditedString]:
    """All that an audit finds."""
    return list(audit)


def written(audit: FileAudit, form: str) -> str:
    """The audit in that form."""
    return b"".join(write_audit(audit, audit, form)).decode()
