"""Every package that Epicene installs has a listed licence, except with `morphology-gpl`."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution
from pathlib import Path

from installed_packages import required_packages

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))[
    "project"
]

# Licences that allow any use, and copyleft that ends at the file (MPL) or the dictionary (LGPLLR).
ALLOWED = {
    "0BSD",
    "3-Clause BSD License",
    "Apache 2.0",
    "Apache 2.0 License",
    "Apache Software License",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD License",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "Boost Software License",
    "CC0-1.0",
    "CNRI-Python",
    "HPND",
    "ISC",
    "ISC License (ISCL)",
    "LGPLLR",
    "MIT",
    "MIT License",
    "MIT-CMU",
    "MPL-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)",
    "PSF-2.0",
    "Python Software Foundation License",
    "The Unlicense (Unlicense)",
    "Unlicense",
    "Zlib",
}

# Packages whose metadata names no licence, and words of the licence that they install
# (Apache, MIT, MIT, BSD).
BY_TEXT = {
    "agent-client-protocol": "Apache License",
    "locate": "Permission is hereby granted, free of charge",
    "resvg-py": "Permission is hereby granted, free of charge",
    "vl-convert-python": "Redistribution and use in source and binary forms",
}


def licences(package: Distribution) -> set[str]:
    """The licences that a package's metadata names: its expression, classifiers, or field."""
    metadata = package.metadata
    expression = metadata["License-Expression"] or ""
    named = [
        classifier.rpartition(" :: ")[2]
        for classifier in metadata.get_all("Classifier", [])
        if classifier.startswith("License ::")
    ]
    named = [name for name in named if name not in ("OSI Approved", "Other/Proprietary License")]
    if not expression and not named:
        expression = (metadata["License"] or "").partition("\n")[0]
    parts = re.split(r" AND | OR ", expression.replace("(", "").replace(")", ""))
    return {part.strip() for part in (*parts, *named)} - {""}


def licence_text(package: Distribution) -> str:
    """The licence file that a package installs."""
    for file in package.files or ():
        if file.name.upper().startswith(("LICENSE", "LICENCE")):
            return Path(str(package.locate_file(file))).read_text("utf-8")
    return ""


def is_allowed(name: str, package: Distribution) -> bool:
    if named := licences(package):
        return named <= ALLOWED
    return name in BY_TEXT and BY_TEXT[name] in licence_text(package)


def test_every_dependency_has_an_allowed_licence() -> None:
    extras = PROJECT["optional-dependencies"]
    wanted = [
        requirement
        for extra in ("dependencies", *(extras.keys() - {"dev", "morphology-gpl"}))
        for requirement in extras.get(extra, PROJECT["dependencies"])
        if not requirement.startswith("epicene")
    ]
    packages = required_packages(wanted)
    assert {"httpx", "torch", "fastapi", "pydantic-core"} <= packages.keys()
    refused = {
        name: licences(package)
        for name, package in packages.items()
        if not is_allowed(name, package)
    }
    assert refused == {}
