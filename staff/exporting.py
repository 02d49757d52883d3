"""What the export of somebody's data leaves out."""

from users.export.register import leave_out

leave_out("staff.AuditEntry.by", because="The record of what staff did belongs to the site.")
