"""The forms of the personal pronouns, by their keys."""

from __future__ import annotations

FIRST = frozenset({"मैं", "मै"})
SECOND = frozenset({"तू", "तुम", "आप"})
THIRD = frozenset("वह वो यह वे ये जो कौन कोई".split())
PLURAL_THIRD = frozenset({"वे", "ये"})
WE = frozenset({"हम"})

FIRST_OBLIQUE = frozenset("मैंने मुझे मुझको मुझसे मुझपर मुझमें मुझ मेरा मेरे मेरी".split())
FIRST_OBJECT = frozenset("मुझे मुझको".split())
SECOND_OBJECT = frozenset("तुझे तुझको तुम्हें तुमको आपको".split())
THIRD_OBJECT = frozenset("उसे उसको इसे इसको उन्हें उनको इन्हें इनको जिसे जिन्हें".split())
FIRST_POSSESSIVE = frozenset("मेरा मेरे मेरी".split())
SECOND_POSSESSIVE = frozenset("तेरा तेरे तेरी तुम्हारा तुम्हारे तुम्हारी आपका आपके आपकी".split())
SECOND_OBLIQUE = SECOND_OBJECT | SECOND_POSSESSIVE | frozenset("तुमसे आपसे तुझसे तूने तुमने आपने".split())

# With ने: who acts, while the verb agrees with something else.
FIRST_ACTING = frozenset({"मैंने"})
SECOND_ACTING = frozenset("तूने तुमने आपने".split())
THIRD_ACTING = frozenset("उसने इसने उन्होंने इन्होंने जिसने जिन्होंने किसने".split())
ACTING = FIRST_ACTING | SECOND_ACTING | THIRD_ACTING | frozenset({"हमने", "ने"})

_OBLIQUE = frozenset(
    "मुझसे मुझपर मुझमें मुझ हमें हमको हमसे हमने तुझसे तुझ तुमसे आपसे उससे उसमें उस इससे इसमें इस उनसे उन "
    "इनसे इन जिससे जिनसे जिसमें जिस जिन किसे किससे किस किसी".split()
)
# Before a noun as often as before a clause.
OBLIQUE_POSSESSIVES = frozenset("मेरे तेरे तुम्हारे आपके हमारे उसके उनके अपने इसके इनके खुद स्वयं".split())

# All that is no third person in the direct case.
NOT_A_SUBJECT = frozenset().union(
    *(_OBLIQUE, OBLIQUE_POSSESSIVES, FIRST, SECOND, WE),
    *(FIRST_OBJECT, SECOND_OBJECT, THIRD_OBJECT, ACTING),
)
ANY = NOT_A_SUBJECT | THIRD
