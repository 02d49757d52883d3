"""The one form of our pages in the admin: `page.AdminPage`, and what it is made of."""
