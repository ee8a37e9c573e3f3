"""The page of the bottles: reading, leaving, acknowledging and ending them."""

from __future__ import annotations

from memory_core import acting_as

TRAP = '<script>alert(1)</script> ![x](http://127.0.0.9/x.png) "quoted"'


def title(app):
    return app.title[0].value


def captions(app):
    return [each.value for each in app.caption]


def press(app, label, number=0):
    [b for b in app.button if b.label == label][number].click().run()
    assert not app.exception


def leave(memory, message, **more):
    return memory.bottles.create_bottle(message, project_id="harbour", **more).bottle


def test_an_empty_page_says_what_a_bottle_is(visit, its_memory):
    app = visit("bottles")

    assert not app.exception
    assert "No bottle waits to be read" == title(app)
    assert any("create_bottle" in text.value for text in app.markdown)


def test_the_bottles_of_the_demonstration_wait(visit, its_demonstration):
    waiting = its_demonstration.bottles.list_bottles(project_id="harbour").total

    app = visit("bottles")

    assert f"{waiting} bottles wait to be read, 1 of them urgent" == title(app)
    assert f"showing 1\u2013{waiting} of {waiting}" in captions(app)


def test_a_bottle_is_acknowledged_and_that_is_undone(visit, its_memory):
    left = leave(its_memory, "mind the gap")
    app = visit("bottles")
    press(app, "Acknowledge")
    after = title(app)
    (read,) = its_memory.bottles.list_bottles(
        project_id="harbour", include_acknowledged=True
    ).bottles
    press(app, "Undo")

    assert ("No bottle waits to be read", "dashboard") == (after, read.acknowledged_by)
    assert "1 bottle waits to be read" == title(app)
    (back,) = its_memory.bottles.list_bottles(project_id="harbour").bottles
    assert (left.id, None) == (back.id, back.acknowledged_at)


def test_acknowledged_bottles_are_shown_when_asked_for(visit, its_memory):
    left = leave(its_memory, "long ago")
    its_memory.bottles.acknowledge_bottles(left.id, project_id="harbour", acknowledged_by="cursor")
    app = visit("bottles")
    app.toggle[0].set_value(True).run()

    assert "1 bottle is here" == title(app)
    assert "Acknowledge" not in [b.label for b in app.button]


def test_an_expired_bottle_is_hidden_and_counted(visit, its_memory):
    leave(its_memory, "today only")
    app = visit("bottles")
    press(app, "Expire")

    assert "No bottle waits to be read" == title(app)
    assert "1 bottle expired and hidden" in captions(app)


def test_the_recipient_filters(visit, its_memory):
    for recipient in ("mara", "chidi", ""):
        leave(its_memory, f"to {recipient}", recipient=recipient)
    app = visit("bottles")
    recipients = next(box for box in app.selectbox if box.label == "For")
    recipients.set_value("mara").run()

    assert ["All recipients", "chidi", "mara"] == recipients.options
    assert "2 bottles for that recipient wait to be read" == title(app)


def test_a_bottle_is_left_from_the_page(visit, its_demonstration):
    app = visit("bottles", project="vt-firmware")
    app.text_area[0].set_value("check the paper sensor")
    press(app, "Leave the bottle")

    (left,) = its_demonstration.bottles.list_bottles(project_id="vt-firmware").bottles
    assert ("check the paper sensor", "dashboard", "medium") == (
        left.message,
        left.author,
        left.priority,
    )
    assert "1 bottle waits to be read" == title(app)
    assert "" == app.text_area[0].value


def test_a_bottle_that_says_nothing_is_refused_and_the_form_kept(visit, its_demonstration):
    app = visit("bottles", project="vt-firmware")
    app.text_input[0].set_value("mara")
    press(app, "Leave the bottle")

    assert 0 == its_demonstration.bottles.list_bottles(project_id="vt-firmware").total
    assert "mara" == app.text_input[0].value
    assert "The bottle was not left. Nothing was changed." == app.error[0].value
    assert "Undo" not in [b.label for b in app.button]


def test_a_key_that_was_typed_is_not_stored_and_the_page_says_so(visit, its_demonstration):
    key = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    app = visit("bottles", project="vt-firmware")
    app.text_area[0].set_value(f"deploy with {key}")
    press(app, "Leave the bottle")

    (left,) = its_demonstration.bottles.list_bottles(project_id="vt-firmware").bottles
    assert "deploy with [redacted: GitHub token]" == left.message
    assert "Not stored: GitHub token in message" in app.warning[0].value


def test_many_bottles_come_in_pages(visit, its_memory):
    for n in range(21):
        leave(its_memory, f"number {n}")
    app = visit("bottles")
    press(app, "Next")
    second = captions(app)
    press(app, "Acknowledge")

    assert "showing 21\u201321 of 21" in second
    assert "showing 1\u201320 of 20" in captions(app)


def test_no_markup_of_a_bottle_is_ever_read(visit, its_memory):
    with acting_as(TRAP):
        its_memory.bottles.create_bottle(TRAP, project_id="trap", recipient=TRAP)
    app = visit("bottles")

    kinds = ("title", "subheader", "markdown", "caption", "error", "warning", "info", "success")
    read = [element.value for kind in kinds for element in app.get(kind)]
    assert [] == [text for text in read if "alert(1)" in text]
