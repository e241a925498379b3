"""A login waits until the core reports its outcome."""

from workbench.workspace.logins import Logins

ASKED = {"url": "https://github.com/login/oauth/authorize?state=1", "code": ""}


async def test_a_login_ends_when_its_person_has_agreed_or_has_not() -> None:
    logins = Logins()
    github, slack = logins.begin("github", ASKED), logins.begin("slack", ASKED)
    logins.handle_event({"event": "authorized", "account": "github"})
    assert github.outcome.result() == ""
    assert not slack.outcome.done()
    logins.handle_event({"event": "authorization_failed", "account": "slack", "reason": "Slack said no."})
    assert slack.outcome.result() == "Slack said no."


async def test_an_event_about_no_login_and_a_repeated_event_do_no_harm() -> None:
    logins = Logins()
    login = logins.begin("github", ASKED)
    logins.handle_event({"event": "authorized"})
    assert not login.outcome.done()
    for _ in range(2):
        logins.handle_event({"event": "authorized", "account": "github"})
    assert login.outcome.result() == ""


async def test_an_abandoned_login_is_not_notified() -> None:
    logins = Logins()
    login = logins.begin("github", ASKED)
    login.outcome.cancel()
    logins.handle_event({"event": "authorized", "account": "github"})
    assert login.outcome.cancelled()
