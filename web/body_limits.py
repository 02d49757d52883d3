"""How long the body of a request may be. Known before Django is set up: the web server asks."""

MEGABYTE = 1024 * 1024
LONGEST_BODY = MEGABYTE
MEGABYTES_OF_FILE = 8
LONGEST_FILE = MEGABYTES_OF_FILE * MEGABYTE
# A form with files: two of them, and the rest of the form. `deploy/nginx.conf` has it too.
LONGEST_UPLOAD = 2 * LONGEST_FILE + LONGEST_BODY
# Set by the web server: the status with which to refuse a body that it did not wait for.
BODY_REFUSED = "socialsite.body_refused"
