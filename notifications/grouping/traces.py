"""What an account that leaves has left in the notifications of others."""

from django.db.models import Q

from relations.models import Follow, FollowRequest
from statuses.models import Like, Status
from users.models import User

from ..models import Notification
from .kinds import Group, day_of


def groups_of_others(user: User) -> list[Group]:
    """Call before it is deleted: finds whom it is named to, and who counts what it did. Three
    queries.
    """
    said = Status.objects.filter(author=user)
    liked = Like.objects.filter(user=user).values("status_id")
    boosted = said.filter(boost_of__isnull=False).values("boost_of_id")
    rows = Notification.objects.filter(
        Q(kind="like", subject__in=liked)
        | Q(kind="boost", subject__in=boosted)
        | Q(kind__in=("mention", "reply", "edit"), subject__in=said.values("pk"))
    )
    follows = Follow.objects.filter(follower=user).values_list("followee_id", "id")
    requests = FollowRequest.objects.filter(follower=user).values_list("followee_id", "id")
    return [
        *(row.group for row in rows.exclude(recipient=user)),
        *(Group(followee_id, "follow", day_of(follow_id)) for followee_id, follow_id in follows),
        *(
            Group(followee_id, "request", day_of(request_id))
            for followee_id, request_id in requests
        ),
    ]
