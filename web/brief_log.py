import logging


class BriefRequests(logging.Filter):
    """Keeps those who send bad requests from flooding the log.

    A refusal (403) and what Django calls suspicious take one line; a 404 and a form with mistakes
    none.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        code = getattr(record, "status_code", 500)
        if code >= 500:
            return True
        record.exc_info = record.exc_text = None
        return code == 403 or record.name.startswith("django.security")
