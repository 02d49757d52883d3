"""What every member should read, worked out from what happened alone: neither SQL nor Redis."""

from dataclasses import dataclass, field


@dataclass
class Said:
    author: int
    text: str
    at: int  # its place among all messages of the chat
    edited_at: int = 0  # the moment of its last edit
    is_deleted: bool = False
    reactions: list[tuple[str, int]] = field(default_factory=list)


@dataclass
class Stay:
    """Of a member: the messages between joining and leaving."""

    joined: int
    left: int | None = None
    left_moment: int = 0
    read: int = 0


@dataclass
class Oracle:
    said: dict[int, Said] = field(default_factory=dict)
    stays: dict[int, Stay] = field(default_factory=dict)
    hidden: set[tuple[int, int]] = field(default_factory=set)
    moment: int = 0

    def is_present(self, user: int) -> bool:
        return user in self.stays and self.stays[user].left is None

    def join(self, user: int) -> None:
        self.stays[user] = Stay(joined=len(self.said), read=len(self.said))

    def leave(self, user: int) -> None:
        self.stays[user].left = len(self.said)
        self.stays[user].left_moment = self.moment

    def say(self, message_id: int, author: int, text: str) -> None:
        self.said[message_id] = Said(author, text, at=len(self.said) + 1)

    def edit(self, message_id: int, text: str) -> None:
        self.moment += 1
        self.said[message_id].text = text
        self.said[message_id].edited_at = self.moment

    def delete(self, message_id: int) -> None:
        self.said[message_id] = Said(
            self.said[message_id].author, "", self.said[message_id].at, is_deleted=True
        )

    def read(self, user: int, message_id: int) -> None:
        stay = self.stays[user]
        up_to = min(self.said[message_id].at, len(self.said) if stay.left is None else stay.left)
        stay.read = max(stay.read, up_to)

    def ids(self, user: int) -> list[int]:
        """In the order in which they were said."""
        stay = self.stays[user]
        end = len(self.said) if stay.left is None else stay.left
        between = [it for it, said in self.said.items() if stay.joined < said.at <= end]
        return [it for it in between if (user, it) not in self.hidden]

    def shown(self, user: int) -> list[tuple[int, str, bool, tuple[tuple[str, int], ...]]]:
        return [(it, *self._shown(self.stays[user], self.said[it])) for it in self.ids(user)]

    def _shown(self, stay: Stay, said: Said) -> tuple[str, bool, tuple[tuple[str, int], ...]]:
        if stay.left is not None and said.edited_at > stay.left_moment:
            return "", True, ()
        reactions = tuple(said.reactions) if stay.left is None else ()
        return said.text, said.is_deleted, reactions

    def unread(self, user: int) -> int:
        stay = self.stays.get(user)
        if stay is None or stay.left is not None:
            return 0
        others = [it for it in map(self.said.get, self.ids(user)) if it and it.author != user]
        return sum(1 for it in others if it.at > stay.read and not it.is_deleted)
