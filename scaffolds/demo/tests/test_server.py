"""What the server offers besides tools."""

from server import dish_details, invitation, matching_occasions, menu


def test_the_menu_names_every_dish_with_its_price() -> None:
    assert "- quiche: 6.00" in menu()


def test_a_dish_tells_its_price() -> None:
    assert dish_details("soup") == {"dish": "soup", "price": 4.5}


def test_an_occasion_is_completed_from_what_was_typed() -> None:
    assert matching_occasions("re") == ["retirement", "reunion"]
    assert matching_occasions("x") == []


def test_an_invitation_names_guest_and_occasion() -> None:
    text = invitation("Ada", "birthday")
    assert "Ada" in text
    assert "birthday" in text
