from __future__ import annotations

import io
import zipfile

import pytest

from memory_core.errors import ForbiddenError, ValidationError
from memory_core.readers import read_file

PAGE = """
<html><head><title>Guide</title><style>p {color: red}</style></head>
<body><h1>Start <b>here</b></h1><p>First
   words<br>second line</p><script>steal()</script>
<ul><li>one</li><li><p>two</p></li></ul><pre>if x:
    y</pre><table><tr><td>a</td><td>b</td></tr></table><!-- hidden --></body></html>
"""


@pytest.fixture
def read(tmp_path):
    def write_and_read(name, content, max_bytes=1_000_000):
        path = tmp_path / name
        path.write_bytes(content)
        return read_file(str(path), roots=[tmp_path], max_bytes=max_bytes)

    return write_and_read


def pdf(*pages):
    """Return a PDF with one line of text a page."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for words in pages:
        page = writer.add_blank_page(200, 200)
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 10 100 Td ({words}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream.flate_encode())
    return writer


def written(document):
    buffer = io.BytesIO()
    document.write(buffer) if hasattr(document, "write") else document.save(buffer)
    return buffer.getvalue()


def word_document():
    from docx import Document

    document = Document()
    document.add_heading("Plan", level=2)
    document.add_paragraph("First words.")
    document.add_paragraph("an item", style="List Bullet")
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text = "left"
    table.cell(0, 1).text = "right"
    document.add_paragraph("Last words.")
    return document


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.txt", "text/plain"),
        ("a.MD", "text/markdown"),
        ("a.py", "text/plain"),
        ("Makefile", "text/plain"),
    ],
)
def test_plain_text_is_read_unchanged(read, name, media_type):
    file = read(name, "# 一 café\n\n  x = 1\n".encode())

    assert "# 一 café\n\n  x = 1\n" == file.text
    assert (name, media_type, "") == (file.title, file.media_type, file.notice)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"]
)
def test_byte_order_mark_is_used_and_removed(read, encoding):
    mark = "\ufeff" if encoding.endswith(("le", "be")) else ""

    assert "héllo\nyou" == read("a.txt", (mark + "héllo\r\nyou").encode(encoding)).text


def test_non_utf8_text_is_read_as_latin1_with_notice(read):
    file = read("a.txt", b"caf\xe9 \x93quoted\x94")

    assert "café \u201cquoted\u201d" == file.text
    assert "Latin-1" in file.notice


@pytest.mark.parametrize(
    "content",
    [
        b"a\0b",
        b"\x89PNG\r\n\x1a\n\0\0",
        b"PK\x03\x04" + b"\x01\x02" * 9,
        bytes(range(1, 32)) * 9,
        b"\xff\xfea",
        b"\x81\x8d\x8f",
    ],
)
def test_a_file_that_is_not_text_is_refused(read, content):
    with pytest.raises(ValidationError, match=r"is not text|is broken"):
        read("a.bin", content)


def test_html_is_read_as_rendered_text(read):
    file = read("page.html", PAGE.encode())

    assert (
        "Guide\n\n# Start here\n\nFirst words\nsecond line\n- one\n- two\n\n"
        "```\nif x:\n    y\n```\n\na b"
    ) == file.text
    assert "text/html" == file.media_type


def test_html_in_a_declared_encoding_is_decoded(read):
    page = '<meta charset="shift_jis"><p>日本語</p>'.encode("shift_jis")

    assert "日本語" == read("page.htm", page).text


@pytest.mark.parametrize("charset", ["base64", "no-such-thing", "idna"])
def test_unknown_declared_encoding_is_ignored(read, charset):
    page = f'<meta charset="{charset}"><p>caf\xe9</p>'.encode("latin-1")

    assert "café" == read("page.html", page).text


def test_xhtml_and_html_without_tags_are_read_without_a_warning(read):
    xhtml = b"<?xml version='1.0'?><doc><p>words</p></doc>"

    assert ["words", "only words"] == [
        read("a.xhtml", xhtml).text,
        read("a.html", b"only words").text,
    ]


def test_html_with_thousands_of_open_paragraphs_is_read(read):
    text = read("page.html", b"<p>word " * 20_000).text

    assert 20_000 == text.count("word")


def test_the_pages_of_a_pdf_are_read_in_order(read):
    file = read("a.pdf", written(pdf("First page", "Second page")))

    assert "First page\n\nSecond page" == file.text
    assert "application/pdf" == file.media_type


def test_a_pdf_is_known_by_its_content(read):
    assert "words" == read("download", written(pdf("words"))).text


def test_a_pdf_with_a_password_is_refused(read):
    writer = pdf("secret words")
    writer.encrypt("password", algorithm="RC4-128")

    with pytest.raises(ValidationError, match="encrypted"):
        read("a.pdf", written(writer))


def test_a_pdf_that_is_only_locked_against_editing_is_read(read):
    writer = pdf("open words")
    writer.encrypt("", "owner", algorithm="RC4-128")

    assert "open words" == read("a.pdf", written(writer)).text


def test_truncated_pdf_raises_clear_error(read, capfd):
    whole = written(pdf("First page", "Second page"))
    for cut in range(5, len(whole), 37):
        flipped = whole[:cut] + bytes([whole[cut] ^ 0xFF]) + whole[cut + 1 :]
        for broken in (whole[:cut], flipped):
            try:
                assert read("a.pdf", broken).text
            except ValidationError as error:
                assert "a.pdf" in str(error)

    assert ("", "") == tuple(capfd.readouterr())


def test_a_scanned_pdf_says_that_it_has_no_text(read):
    with pytest.raises(ValidationError, match="text recognition"):
        read("a.pdf", written(pdf("")))


def test_pdf_with_too_much_text_is_rejected(read):
    content = written(pdf("many words " * 2_000, "more words " * 2_000))

    with pytest.raises(ForbiddenError, match=r"more than 20,000 characters"):
        read("a.pdf", content, max_bytes=20_000)


def test_a_docx_is_read_in_order(read):
    file = read("a.docx", written(word_document()))

    assert "## Plan\n\nFirst words.\n\n- an item\n\nleft | right\n\nLast words." == file.text


def test_truncated_docx_raises_clear_error(read):
    whole = written(word_document())
    for cut in range(4, len(whole), len(whole) // 25):
        with pytest.raises(ValidationError, match=r"a\.docx is not a DOCX"):
            read("a.docx", whole[:cut])


def test_a_docx_that_unpacks_to_gigabytes_is_refused(read):
    buffer = io.BytesIO(written(word_document()))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/bomb.xml", " " * 20_000_000)

    with pytest.raises(ForbiddenError, match="unpacks to"):
        read("a.docx", buffer.getvalue())


def test_docx_entity_expansion_is_harmless(read):
    source = zipfile.ZipFile(io.BytesIO(written(word_document())))
    buffer = io.BytesIO()
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in source.namelist():
            content = source.read(name)
            if name == "word/document.xml":
                bomb = f'<!DOCTYPE w [<!ENTITY l0 "lol">{lol}]>'.encode()
                content = content.replace(b"?>", b"?>" + bomb, 1).replace(b"First words", b"&l9;")
            archive.writestr(name, content)

    try:
        assert len(read("a.docx", buffer.getvalue()).text) < 1_000
    except ValidationError as error:
        assert "a.docx" in str(error)


ZIP = b"PK\x03\x04" + bytes(26)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument."


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"{\\rtf1\\ansi Hello {\\b bold} w\\'f6rld\\par}", "RTF"),
        (b"\xef\xbb\xbf\n{\\rtf Hello}", "RTF"),
        (ZIP + b"xl/workbook.xml", "XLSX"),
        (ZIP + b"ppt/presentation.xml" + ZIP + b"xl/workbook.xml", "PPTX"),
        (ZIP + OPEN_DOCUMENT + b"text", "ODT"),
        (ZIP + OPEN_DOCUMENT + b"spreadsheet", "ODS"),
        (ZIP + OPEN_DOCUMENT + b"presentation", "ODP"),
        (ZIP + OPEN_DOCUMENT + b"graphics", "OpenDocument"),
        (ZIP + b"mimetypeapplication/epub+zip", "e-book"),
        (ZIP + b"Index/Document.iwa", "iWork"),
        (ZIP + b"holiday.txt", "ZIP archive"),
        (OLE + "WordDocument".encode("utf-16-le"), "Word"),
        (OLE + "Workbook".encode("utf-16-le"), "XLS"),
        (OLE + "PowerPoint Document".encode("utf-16-le"), "PPT"),
        (OLE + "__substg1.0_0037001F".encode("utf-16-le"), "Outlook"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (OLE, "office document"),
        (b"\xffWPC\x10\0\0\0", "WordPerfect"),
        (b"%!PS-Adobe-3.0\n(words) show", "PostScript"),
        (b"A book".ljust(60, b"\0") + b"BOOKMOBI", "e-book"),
        (b"AT&TFORM\0\0", "DjVu"),
        (b"bplist00\xd1\x01\x02_\x10\x0fWebMainResource", "web archive"),
        (
            b"From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.example/\r\n"
            b'Content-Type: multipart/related; boundary="x"\r\n\r\n--x\r\n\r\n<p>w=3D</p>',
            "web archive",
        ),
        (
            b"<?xml version='1.0'?>\n<?mso-application progid='Word.Document'?><w:wordDocument/>",
            "Word",
        ),
        (b"<?mso-application progid='Excel.Sheet'?><Workbook/>", "Excel"),
        (b"<?xml version='1.0'?><office:document>words</office:document>", "office document"),
        (b"\x1f\x8b\x08\0\0", "archive"),
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a"])
def test_unsupported_format_error_names_it_with_a_fix(read, content, named, name):
    with pytest.raises(ValidationError, match=rf"is not text but .*{named}.*, which .*\. \w.*\.$"):
        read(name, content)


@pytest.mark.parametrize(
    "text",
    [
        "RTF files begin with {\\rtf1.",
        "PK is a name",
        "From: me\nTo: you\n\nhello",
        "%! no",
        "{\\r}",
    ],
)
def test_text_about_formats_is_read(read, text):
    assert text == read("a.txt", text.encode()).text


def test_a_docx_is_known_by_its_content(read):
    assert "First words." in read("download", written(word_document())).text


@pytest.mark.parametrize("name", ["a.txt", "a.pdf", "a.docx", "a.html", "a.csv"])
@pytest.mark.parametrize("content", [b"", b" \n\t\n", b"\xef\xbb\xbf\r\n", b"\xff\xfe \0\n\0"])
def test_empty_file_is_reported_as_empty(read, name, content):
    with pytest.raises(ValidationError, match=r"is empty: there is no text"):
        read(name, content)


@pytest.mark.parametrize(
    ("name", "content"), [("a.html", b"<p> </p>"), ("a.txt", "\u2003".encode())]
)
def test_only_pictures_of_text_are_sent_to_text_recognition(read, name, content):
    with pytest.raises(ValidationError, match=r"has no text in it\. (?!.*recognition)"):
        read(name, content)
