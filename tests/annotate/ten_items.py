"""Studies of every kind as the suites make them, each with ten items for one person."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from PIL import Image, ImageDraw

from epicene.annotate.pictures import IMAGES
from epicene.annotate.sample import sample_data
from epicene.records import Completion, Completions, Text, Texts
from epicene.runs.files import ImageFolder
from epicene.studies import Access, Drawn, Study, StudyItem
from epicene.studies.drawing import Candidate, Wanted
from epicene.suites import Answers, Given, Source, find_suite
from epicene.suites.alternations import data as alternations_data
from epicene.suites.alternations.pairs import Pair
from epicene.suites.alternations.people import cloze_choice, completions
from epicene.suites.alternations.protocol import PROTOCOLS as ALTERNATIONS
from epicene.suites.apgc import construction as apgc
from epicene.suites.apgc.sentences import starter as arabic_starter
from epicene.suites.construction import Made
from epicene.suites.genform.construction import both_forms, reviewing
from epicene.suites.genform.construction.writing import GenformBuild
from epicene.suites.gramvis.people import image as gramvis_image
from epicene.suites.misgendering import data as misgendering_data
from epicene.suites.misgendering import labels
from epicene.suites.misgendering.protocol import PROTOCOLS as MISGENDERING
from epicene.suites.studies import Material, StudyKind

ITEMS = 10
