"""Gets tokens for the accounts that tools ask for, on this machine: no service of ours takes part.

`registrations` knows as whom to ask, `consents` has a person agree in a browser, `device` without one, `service` is the
edge to the services, `grants` keeps what they gave, and `broker` leads over them from a requirement to a token.
"""
