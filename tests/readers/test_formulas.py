from __future__ import annotations

import io
import zipfile

import pytest

from memory_core.readers import read_bytes
from tests.readers.test_formats import written

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def word_text(inside):
    """Return what is read from a DOCX with one paragraph: words, this XML, words."""
    from docx import Document

    whole = io.BytesIO(written(Document()))
    buffer = io.BytesIO()
    before, after = (
        f'<w:r><w:t xml:space="preserve">{words}</w:t></w:r>' for words in ("so ", " it is")
    )
    body = (
        f'<w:document xmlns:w="{WORD}" xmlns:m="{MATH}"><w:body><w:p>{before}{inside}{after}</w:p>'
        "</w:body></w:document>"
    )
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(buffer, "w") as target:
        for name in source.namelist():
            target.writestr(name, body if name == "word/document.xml" else source.read(name))
    return read_bytes("a.docx", buffer.getvalue(), max_bytes=1_000_000)


def run(text):
    return f"<m:r><m:t>{text}</m:t></m:r>"


def part(name, text):
    return f"<m:{name}>{run(text)}</m:{name}>"


@pytest.mark.parametrize(
    ("omml", "linear"),
    [
        (run("theta=42"), "theta=42"),
        (f"<m:f>{part('num', 'a+b')}{part('den', 'c')}</m:f>", "(a+b)/c"),
        (f"<m:sSup>{part('e', 'x')}{part('sup', '2')}</m:sSup>", "x^2"),
        (f"<m:sSub>{part('e', 'x')}{part('sub', 'i+1')}</m:sSub>", "x_(i+1)"),
        (f"<m:rad><m:radPr/>{part('deg', '3')}{part('e', 'x')}</m:rad>", "root(3, x)"),
        (f"<m:rad><m:deg/>{part('e', 'x')}</m:rad>", "sqrt(x)"),
        (
            f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr>{part('sub', 'i=1')}"
            f"{part('sup', 'n')}{part('e', 'i')}</m:nary>",
            "∑_(i=1)^n i",
        ),
        (f"<m:d>{part('e', 'a')}{part('e', 'b')}</m:d>", "(a|b)"),
        (f"<m:func>{part('fName', 'sin')}{part('e', 'x')}</m:func>", "sin(x)"),
        (f"<m:m><m:mr>{part('e', 'a')}{part('e', 'b')}</m:mr></m:m>", "[a, b]"),
        (f"<m:eqArr>{part('e', 'x=1')}{part('e', 'y=2')}</m:eqArr>", "x=1; y=2"),
        ("<m:box><m:e>" * 100 + run("x") + "</m:e></m:box>" * 100, "x"),
    ],
)
@pytest.mark.parametrize(
    "around",
    ["<m:oMath>{}</m:oMath>", "<m:oMathPara><m:oMath>{}</m:oMath></m:oMathPara>"],
)
def test_a_formula_in_a_docx_is_linear_text(omml, linear, around):
    assert f"so {linear} it is" == word_text(around.format(omml)).text


def test_an_embedded_object_in_a_docx_is_reported():
    assert "embedded objects" in word_text("<w:r><w:object/></w:r>").notice


@pytest.mark.parametrize(
    ("mathml", "linear"),
    [
        ("<mi>x</mi><mo>=</mo><mn>42</mn>", "x=42"),
        ("<mfrac><mn>1</mn><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac>", "1/(a+b)"),
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x^2"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "sqrt(x+1)"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "root(3, x)"),
        ("<mi>sin</mi><mi>x</mi>", "sin x"),
        ("<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable>", "[a, b]"),
        (
            "<semantics><mi>x</mi><annotation encoding='application/x-tex'>\\frac{x}{2}"
            "</annotation></semantics>",
            "\\frac{x}{2}",
        ),
        ("<mrow>" * 20_000 + "<mi>x</mi>", "x"),
    ],
)
def test_a_formula_in_html_is_linear_text(mathml, linear):
    page = f"<p>so <math>{mathml}</math> it is</p>".encode()
    file = read_bytes("a.html", page, max_bytes=1_000_000)

    assert file.text.startswith(f"so {linear}")


def test_a_formula_that_a_page_renders_twice_is_read_once():
    page = (
        b"<p>so <span class='katex'><span class='katex-mathml'><math><semantics><mi>x</mi>"
        b"<annotation encoding='application/x-tex'>x^2</annotation></semantics></math></span>"
        b"<span class='katex-html' aria-hidden='true'>x2</span></span> it is</p>"
    )

    assert "so x^2 it is" == read_bytes("a.html", page, max_bytes=1_000_000).text


@pytest.mark.parametrize("type", ["math/tex", "math/tex; mode=display"])
def test_a_formula_in_a_tex_script_is_kept(type):
    page = f"<p>so <script type='{type}'>\\alpha + 1</script></p>".encode()

    assert "so \\alpha + 1" == read_bytes("a.html", page, max_bytes=1_000_000).text
