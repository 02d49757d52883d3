"""How long the body of a request may be. Known before Django is set up: the web server asks."""

LONGEST_BODY = 1024 * 1024
# A form with files: two pictures, and the rest of the form.
LONGEST_UPLOAD = 17 * 1024 * 1024
