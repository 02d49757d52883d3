"""The site's settings with a quick password hash: Argon2 takes a fifth of a second of a processor
for each of the many who sign up here. Other tests are about it.
"""

from socialsite.settings import *  # noqa: F403 - all of them, except this one

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
