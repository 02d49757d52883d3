from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _
from oauth2_provider.models import Application

from users.export.register import Row, exports, leave_out, walk
from users.models import User

from .tokens import last_use, tokens_of


@exports("tokens", title=_("Access tokens"), covers=["oauth2_provider.AccessToken.user"])
def tokens(user: User) -> Iterator[Row]:
    for token in walk(tokens_of(user)):
        yield {
            "application": token.application.name if token.application else None,
            "scopes": token.scope.split(),
            "since": token.created,
            "until": token.expires,
            "last_used": last_use(token),
        }


@exports("applications", title=_("Applications"), covers=["oauth2_provider.Application.user"])
def applications(user: User) -> Iterator[Row]:
    for application in walk(Application.objects.filter(user=user)):
        yield {"name": application.name, "since": application.created}


leave_out(
    "oauth2_provider.Grant.user",
    "oauth2_provider.IDToken.user",
    "oauth2_provider.RefreshToken.user",
    "oauth2_provider.DeviceGrant.user",
    because="Steps on the way to an access token, which is exported.",
)
