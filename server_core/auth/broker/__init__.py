"""Gets tokens for the accounts that tools require, on this machine, without a service of ours.

`registrations` has the OAuth clients, `consents` asks for consent in a browser, `device` without a browser, `service`
sends the requests to a service, `grants` stores what it granted, and `broker` leads from a requirement to a token.
"""
