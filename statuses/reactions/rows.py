"""The rows of likes, boosts and bookmarks, by SQL that is built once (`web/sql/ready_sql.py`)."""

from typing import Any, Literal, get_args

from django.db.models import Model, QuerySet
from django.db.models.sql import Query

from web.sql.ready_sql import Given, Insert, Row, delete, execute, ready, select

from ..models import Bookmark, Like, Status

Reaction = Literal["like", "boost", "bookmark"]
REACTIONS: tuple[Reaction, ...] = get_args(Reaction)
# With a row of their own; a boost is a status.
PlainReaction = Literal["like", "bookmark"]
MODELS: dict[PlainReaction, type[Model]] = {"like": Like, "bookmark": Bookmark}


@ready
def _inserted(reaction: PlainReaction) -> Query:
    return Insert(MODELS[reaction], unless=("user_id", "status_id"))


def insert_reaction(reaction: PlainReaction, row_id: int, user_id: int, status_id: int) -> bool:
    """Returns False if it is there already. One statement."""
    return bool(execute(_inserted(reaction), id=row_id, user_id=user_id, status_id=status_id))


@ready
def _deleted(reaction: PlainReaction) -> Query:
    return delete(_rows(reaction))


def delete_reaction(reaction: PlainReaction, user_id: int, status_id: int) -> bool:
    """Returns False if there is none. One statement."""
    return bool(execute(_deleted(reaction), user=user_id, status=status_id))


def _rows(reaction: Reaction) -> QuerySet[Any]:
    if reaction == "boost":
        return Status.objects.filter(author_id=Given("user"), boost_of_id=Given("status"))
    return MODELS[reaction]._default_manager.filter(
        user_id=Given("user"), status_id=Given("status")
    )


@ready
def _id(reaction: Reaction) -> QuerySet[Any, Row]:
    return _rows(reaction).values_list("pk")


def reaction_id(reaction: Reaction, user_id: int, status_id: int) -> int | None:
    rows = select(_id(reaction), user=user_id, status=status_id)
    return next((row_id for (row_id,) in rows), None)
