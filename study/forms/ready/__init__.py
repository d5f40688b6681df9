"""Ready questionnaires, to be taken by their name: one module each, and one line of the list below. All words are our own (CC0)."""

from __future__ import annotations

from study.forms.form import Form
from study.forms.ready import attention, background, comprehension, eligibility, games, spatial, strategy

OWN = "Words of Vantage, CC0 1.0: use and change them freely."
"""The terms of each."""


READY: tuple[Form, ...] = tuple(
    form.model_copy(update={"licence": form.licence or OWN})
    for form in (
        eligibility.FORM,
        background.FORM,
        games.FORM,
        comprehension.FORM,
        attention.FORM,
        spatial.FORM,
        strategy.FORM,
    )
)
"""Every ready form: the registry, one line each."""
_BY_NAME = {form.name: form for form in READY}


def ready(name: str) -> Form:
    """The ready form of that name.

    Raises:
        ValueError: there is none; the message lists them.
    """
    if name not in _BY_NAME:
        raise ValueError(f"there is no ready form {name[:40]!r}; there are {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


def read_forms(given: object) -> object:
    """Forms as they are given to a study: whole ones, or names of ready ones, which stand for their whole text."""
    if not isinstance(given, list | tuple):
        return given
    return tuple(ready(one) if isinstance(one, str) else one for one in given)


def check_names(forms: tuple[Form, ...]) -> tuple[Form, ...]:
    """The forms, if no two have one name.

    Raises:
        ValueError: two have.
    """
    names = [form.name for form in forms]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"two forms are called {twice}: name each once")
    return forms
