"""Labels, headings and phrases of e-mails: read for whoever the options name."""

from __future__ import annotations

import re

import pytest

from epicene.rewriting.persons import GENDERS, Person
from rewriting.person_cases import turned

_DIFFERS = re.compile(r"\{([^|{}]*)\|([^|{}]*)\}")

# What is said of whoever reads it.
READER = """
Déjà {inscrit|inscrite} ?
Pas encore {inscrit|inscrite} ?
Pas encore {client|cliente} ? Créez un compte.
Déjà {client|cliente} ?
{Nouveau|Nouvelle} ici ?
{Nouveau client|Nouvelle cliente} ?
Merci de vous être {abonné|abonnée} à notre lettre.
Merci de t'être {désinscrit|désinscrite}.
Merci d'être {venu|venue}.
Merci d'être {resté|restée} avec nous.
Êtes-vous {sûr|sûre} de vouloir supprimer ce fichier ?
Vous avez été {déconnecté|déconnectée}.
Soyez {le premier|la première} à commenter.
{Prêt|Prête} à commencer ?
{Prêt|Prête} pour l'aventure ?
{Intéressé|Intéressée} ? Contactez-nous.
{Perdu|Perdue} ? Besoin d'aide ?
{Satisfait|Satisfaite} de votre achat ?
{Cher client|Chère cliente},
{Chers clients|Chères clientes},
{Cher abonné|Chère abonnée}, votre facture est prête.
{Cher Monsieur|Chère Madame},
Vous serez {redirigé|redirigée} vers la page d'accueil.
Vous devez être {connecté|connectée} pour continuer.
Veuillez rester {assis|assise}.
Une fois {identifié|identifiée}, cliquez sur « Profil ».
Une fois {inscrit|inscrite}, vous recevrez un e-mail.
Vous êtes-vous {trompé|trompée} de mot de passe ?
Vous {seul|seule} pouvez voir ceci.
Vous voilà {inscrit|inscrite} !
Nous vous avons {reconnu|reconnue}.
"""
# What the reader may say too: the options decide.
EITHER = """
Rester {identifié|identifiée}
Rester {informé|informée} des nouveautés
Être {averti|avertie} par e-mail
Être {rappelé|rappelée}
Travailler {seul|seule}
{Inscrit|Inscrite} depuis 2019
{Connecté|Connectée} depuis 3 heures
{Satisfait|Satisfaite} ou {remboursé|remboursée}
"""
NOBODY = """
Enregistré
Terminé
Modifié hier
Fichier supprimé
Brouillon enregistré
Paramètres enregistrés
Connexion perdue
Compte désactivé
Mot de passe oublié ?
Déjà payé ?
Achat terminé ?
Facture déjà réglée ?
Colis perdu ?
Article épuisé
Envoyé à 10 h
Connecté au réseau
Rester en ligne
Restez à l'écoute
Tout sélectionner
Nouveau
Nouveau dossier
Nouvelle version disponible
Aucun résultat
Modifications qui ne seront pas validées
Affiche la liste des fichiers
Optimiser la taille du fichier
À la place, utilisez la version récente.
Le serveur distant ne répond pas.
Les colonnes du tableau sont triées.
La colonne est vide.
Une paire de clés a été créée.
Le gestionnaire de fichiers est fermé.
Les variables inconnues sont ignorées.
PostgreSQL est démarré.
Seules les pages blanches sont imprimées.
Chères clientes, chers clients,
"""


def _rows(text: str) -> list[str]:
    return text.strip().splitlines()


def _check(row: str, person: Person) -> None:
    masculine, feminine = _DIFFERS.sub(r"\1", row), _DIFFERS.sub(r"\2", row)
    assert turned("fr", masculine, person, "feminine") == feminine
    assert turned("fr", feminine, person, "masculine") == masculine


@pytest.mark.parametrize("row", _rows(READER + EITHER))
def test_said_of_the_reader(row: str) -> None:
    _check(row, "listener")


@pytest.mark.parametrize("row", _rows(EITHER))
def test_said_of_the_speaker_where_only_they_are_asked_for(row: str) -> None:
    _check(row, "speaker")


@pytest.mark.parametrize("row", _rows(NOBODY))
@pytest.mark.parametrize("person", ["speaker", "listener", "others"])
def test_said_of_nobody(row: str, person: Person) -> None:
    assert [turned("fr", row, person, gender) for gender in GENDERS] == [row, row]
