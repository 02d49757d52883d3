"""What people were notified of, for the export of their data."""

from users.export.register import leave_out

leave_out(
    "notifications.Notification.recipient",
    because="They follow from the posts, likes and follows of others.",
)
