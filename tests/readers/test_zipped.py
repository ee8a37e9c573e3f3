"""A zip from anywhere is unpacked into a folder of its own, or refused; nothing lands elsewhere."""

from __future__ import annotations

import stat
import zipfile

import pytest

from memory_core import ForbiddenError, ValidationError
from memory_core.readers.zipped import is_zip, unpack_bundle

PAGE = "---\ntype: note\n---\nA page.\n"


@pytest.fixture
def place(tmp_path):
    """The path of the zip; it is unpacked in the same folder."""
    return tmp_path / "given.zip"


def zipped(place, files, **attributes):
    """Write a zip of these names and texts; attributes are those of every entry."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            for attribute, value in attributes.items():
                setattr(entry, attribute, value)
            archive.writestr(entry, text)
    return place


def files_of(place, **bounds):
    with unpack_bundle(place, [place.parent], parent=place.parent, **bounds) as folder:
        return {
            each.relative_to(folder).as_posix(): each.read_text()
            for each in folder.rglob("*")
            if each.is_file()
        }


def left_in(place):
    return [each.name for each in place.parent.iterdir() if each != place]


def test_unpacked_documents_are_deleted_afterwards(place):
    zipped(place, [("a.md", PAGE), ("deep/b.md", PAGE), ("run.exe", "x"), ("deep/c.png", "x")])

    assert is_zip(place, [place.parent])
    assert {"a.md": PAGE, "deep/b.md": PAGE} == files_of(place)
    assert [] == left_in(place)


def test_a_zip_of_one_folder_with_an_index_is_the_bundle_in_it(place):
    zipped(place, [("wiki/index.md", "# All"), ("wiki/t/a.md", PAGE), ("__MACOSX/x", "x")])

    assert {"index.md", "t/a.md"} == set(files_of(place))


@pytest.mark.parametrize(
    "name",
    [
        "../out.md",
        "/out.md",
        "a/../../out.md",
        "..\\out.md",
        "C:/out.md",
        "C:\\out.md",
        "a/../b.md",
    ],
)
def test_path_traversal_rejects_the_whole_zip(place, name):
    zipped(place, [("good.md", PAGE), (name, PAGE)])

    with pytest.raises(ForbiddenError, match="leads out"):
        files_of(place)
    assert [] == left_in(place)
    assert not (place.parent.parent / "out.md").exists()


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_refused(place, kind):
    zipped(place, [("a.md", "/etc/passwd")], external_attr=(kind | 0o777) << 16)

    with pytest.raises(ForbiddenError, match="link or a device"):
        files_of(place)


def test_unpacked_size_is_measured_not_declared(place):
    zipped(place, [("a.md", "x" * 3_000_000)])

    assert place.stat().st_size < 10_000
    with pytest.raises(ForbiddenError, match="more than 10,000 bytes"):
        files_of(place, most_bytes=10_000)
    with pytest.raises(ForbiddenError, match="more than 100 bytes"):
        files_of(place, most_bytes=100)
    assert [] == left_in(place)


def test_too_many_files_are_refused(place):
    zipped(place, [(f"{number}.md", PAGE) for number in range(6)])

    with pytest.raises(ForbiddenError, match="more than 5 files"):
        files_of(place, most_files=5)


def test_damaged_or_ambiguous_zip_raises_clear_error(place):
    zipped(place, [("a.md", PAGE * 50)])
    whole = place.read_bytes()
    place.write_bytes(whole[: len(whole) // 2])

    with pytest.raises(ValidationError, match=r"given\.zip cannot be unpacked"):
        files_of(place)
    place.write_bytes(whole.replace(b"a.md", b"b.md", 1))
    with pytest.raises(ValidationError, match="cannot be unpacked"):
        files_of(place)
    zipped(place, [("a.md", PAGE), ("a.md/b.md", PAGE)])
    with pytest.raises(ValidationError, match="cannot be unpacked"):
        files_of(place)


def test_text_mentioning_zip_is_not_a_zip(place):
    place.write_bytes(b'{"type": "entity"}\nPK\x05\x06' + bytes(18))

    assert not is_zip(place, [place.parent])
