"""The pictures of an account."""

from pictures.kinds import PictureKind, register

AVATAR = register(
    PictureKind("avatar", "avatars", 400, 400, model="users.User", column="avatar", small=96)
)
HEADER = register(PictureKind("header", "headers", 1500, 500, model="users.User", column="header"))
PICTURES = (AVATAR, HEADER)
