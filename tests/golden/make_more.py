"""Makes more PDF documents of the library: python tests/golden/make_more.py. The same bytes every time.

A paper in one column, a manual and a statute. As make_documents.py: nothing here knows what the
truth files say.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from make_documents import BODY, build, style
from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4, A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    Frame,
    HRFlowable,
    KeepTogether,
    PageBreak,
    PageTemplate,
    Paragraph,
    Preformatted,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus.flowables import Flowable


def p(text: str, look: ParagraphStyle = BODY) -> Paragraph:
    return Paragraph(text, look)


def ruled(*more: Any, size: float = 9, face: str = "Times") -> TableStyle:
    plain, bold = ("Times-Roman", "Times-Bold") if face == "Times" else ("Helvetica", "Helvetica-Bold")
    return TableStyle([("FONT", (0, 0), (-1, -1), plain, size), ("FONT", (0, 0), (-1, 0), bold, size),
                       ("VALIGN", (0, 0), (-1, -1), "TOP"), ("TOPPADDING", (0, 0), (-1, -1), 2),
                       ("BOTTOMPADDING", (0, 0), (-1, -1), 3), *more])  # fmt: skip


class Drawing(Flowable):  # type: ignore[misc]
    """A drawing of a given size: draws with the function it was given."""

    def __init__(self, wide: float, high: float, draw: Any) -> None:
        super().__init__()
        self.width, self.height, self.paint = wide, high, draw

    def draw(self) -> None:
        self.paint(self.canv)


def paper() -> None:
    wide, high = A4
    head = style("head", "Times-Bold", 12, spaceBefore=10, spaceAfter=5, keepWithNext=1)
    under = style("under", "Times-Italic", 11, spaceBefore=6, spaceAfter=4, keepWithNext=1)
    formula = style("formula", size=10.5, alignment=TA_CENTER, spaceBefore=3, spaceAfter=9)
    caption = style("caption", size=9.5, spaceBefore=6, spaceAfter=4)
    entry = style("entry", size=9.5, leftIndent=16, firstLineIndent=-16, spaceAfter=4)
    notes = {
        1: [("1", "The gauges belong to the district and were read by its wardens, whom we thank."),
            ("2", "Readings below 2 mm are not stored; they were set to 1 mm, as in Moreau (2011)."),
            ("3", "A flood is a day on which the gauge at Vald stood above 3.20 m, the height at which the road is closed. In the "
             "older reports the limit is 3.00 m.")],
    }  # fmt: skip

    def draw(canvas: Canvas, document: Any) -> None:
        canvas.setFont("Times-Italic", 9)
        if document.page > 1 and document.page % 2:
            canvas.drawRightString(wide - 90, high - 50, "Snow, rain and the floods of the upper Lenne")
        elif document.page > 1:
            canvas.drawString(90, high - 50, "R. Tan, H. Ilves and P. Moreau")
        canvas.setFont("Times-Roman", 9)
        canvas.drawCentredString(wide / 2, 40, str(document.page))
        found = notes.get(document.page, [])
        if found:
            look = style("note", size=8.5, alignment=TA_JUSTIFY)
            blocks = [p(f"<super size=6>{mark}</super> {text}", look) for mark, text in found]
            heights = [block.wrap(wide - 180, 100)[1] for block in blocks]
            top = 62 + sum(heights)
            canvas.line(90, top + 4, 210, top + 4)
            for block, tall in zip(blocks, heights, strict=True):
                top -= tall
                block.drawOn(canvas, 90, top)

    def figure(canvas: Canvas) -> None:
        canvas.line(40, 20, 40, 150)
        canvas.line(40, 20, 360, 20)
        canvas.setFont("Times-Roman", 8)
        for step in range(0, 5):
            canvas.drawRightString(36, 18 + 30 * step, f"{step}.0")
        points = [
            (40 + 8 * day, 20 + 34 + 60 * math.exp(-((day - 18) ** 2) / 20) + 5 * math.sin(day)) for day in range(40)
        ]
        for one, two in itertools.pairwise(points):
            canvas.line(*one, *two)
        canvas.setDash(3, 2)
        canvas.line(40, 116, 360, 116)
        canvas.setDash()
        canvas.drawString(300, 120, "road closed")
        canvas.drawCentredString(200, 6, "Day of April 2016")

    table = Table(
        [["Gauge", "Height, m", "April", "", "May", ""], ["", "", "days", "floods", "days", "floods"],
         ["Vald", "412", "630", "41", "651", "12"], ["Orre", "388", "618", "37", "640", "15"], ["Steinach*", "351", "402", "9", "420", "3"]],
        colWidths=[90, 70, 55, 55, 55, 55],
        style=TableStyle([("FONT", (0, 0), (-1, -1), "Times-Roman", 9.5), ("SPAN", (2, 0), (3, 0)), ("SPAN", (4, 0), (5, 0)),
                          ("ALIGN", (1, 0), (-1, -1), "CENTER"), ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black),
                          ("LINEBELOW", (2, 0), (3, 0), 0.4, colors.black), ("LINEBELOW", (4, 0), (5, 0), 0.4, colors.black),
                          ("LINEBELOW", (0, 1), (-1, 1), 0.6, colors.black), ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
                          ("TOPPADDING", (0, 0), (-1, -1), 1), ("BOTTOMPADDING", (0, 0), (-1, -1), 2)]),
    )  # fmt: skip
    story = [
        p("Snow, rain and the floods of the upper Lenne", style("title", "Times-Bold", 18, alignment=TA_CENTER, spaceAfter=12)),
        p("Rahel Tan<super>*</super>, Henrik Ilves, Pauline Moreau", style("names", size=12, alignment=TA_CENTER, spaceAfter=4)),
        p("Institute of Hydrology, Vald", style("place", "Times-Italic", 10.5, alignment=TA_CENTER, spaceAfter=3)),
        p("<super>*</super> Corresponding author: tan@hydrology.example",
          style("mail", size=9, alignment=TA_CENTER, spaceAfter=14)),
        p("<b>Abstract.</b> The upper Lenne floods in spring, but not every spring. From 21 years of readings at three gauges we "
          "show that neither snow nor rain alone foretells a flood, while their sum over ten days does. A rule of one line is "
          "right on 88% of days.", style("abstract", size=10, alignment=TA_JUSTIFY, leftIndent=30, rightIndent=30, spaceAfter=10)),
        p("1 Introduction", head),
        p("Roads along the upper Lenne are closed on some ten days a year (Keller 2003). Those who close them look at the snow on "
          "the passes, as their grandfathers did. Moreau (2011) doubted whether snow is enough, and Keller and Brandt (2014) found "
          "that two of three great floods came without any.<super>1</super>"),
        p("We ask what foretells a flood best, and whether a rule can be found that fits on a card. Section 2 describes the "
          "readings, Section 3 the rule; Appendix A lists what it misses."),
        p("2 Readings", head),
        p("2.1 Gauges", under),
        p("Three gauges have been read every morning since 1996 (Table 1). Rain is measured at Vald and Orre,<super>2</super> snow "
          "on the pass. Days on which one of them failed were left out."),
        p("Table 1: Gauges, days read and floods<super>3</super> in two months, 1996–2016", caption),
        table,
        p("* read since 2003 only", style("below", size=8.5, leftIndent=55, spaceBefore=2, spaceAfter=8)),
        p("2.2 Melt", under),
        p("What melts in a day follows from its mean temperature <i>t</i> as in Brandt (1998, p. 41):"),
        p("<i>m</i> = <i>k</i> max(0, <i>t</i> − 1.5)&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;(1)", formula),
        p("with <i>k</i> = 4.1 mm per degree. The value is that of Keller (2003); with that of Brandt (1998) the rule below would "
          "be a little better in April and worse in May."),
        p("3 A rule", head),
        p("Let <i>r</i> be the rain of a day. A flood is expected if"),
        p("Σ (<i>m</i> + <i>r</i>) &gt; 74 mm&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;(2)", formula),
        p("where the sum goes over the last ten days. Of 78 floods in April at Vald and Orre (2) finds 69, and it warns in vain "
          "on 31 days. Snow alone finds 40, rain alone 52. Figure 1 shows the April of 2016, in which both came together."),
        Drawing(380, 160, figure),
        p("Figure 1: Height of the Lenne at Vald, in metres, April 2016", caption),
        p("Why ten days? With five the rule misses floods that build up slowly; with twenty it warns for weeks (see also Tan and "
          "Ilves 2015; Keller 2003). The choice matters less than we had feared: between eight and thirteen days the number of "
          "floods found differs by two."),
        p("<b>Who can use it.</b> The wardens need two numbers a day, which they have. A card with (1) and (2) hangs in their office "
          "since 2017."),
        p("4 Conclusion", head),
        p("Snow and rain together foretell the floods of the upper Lenne. Neither does alone."),
        p("Acknowledgements", head),
        p("We thank the wardens of the district, above all Ms Aalto, who found the readings of 1996 in a cupboard."),
        p("References", head),
        p("Brandt, E. (1998). <i>Meltwater</i>. Vald: Institute of Hydrology.", entry),
        p("Keller, J. (2003). Closed roads. <i>Journal of Mountain Roads</i> 12, 3–19.", entry),
        p("Keller, J. and E. Brandt (2014). Three floods without snow. <i>Journal of Mountain Roads</i> 23, 88–97. "
          "doi:10.5555/jmr.2014.88", entry),
        p("Moreau, P. (2011). Is snow enough? In H. Ilves (ed.), <i>Rivers of the North</i>, pp. 101–122. Orre: Lenne Press.", entry),
        p("Tan, R. and H. Ilves (2015). Ten days or twenty. <i>Hydrology Letters</i> 4(2), 55–61.", entry),
        PageBreak(),
        p("Appendix A: Floods that the rule misses", head),
        Table([["Day", "Sum, mm", "What happened"], ["3 April 2001", "61", "ice below the bridge"],
               ["17 May 2008", "40", "a dam was opened"], ["29 April 2013", "73", "none is known"]],
              colWidths=[90, 60, 150], style=ruled(("LINEBELOW", (0, 0), (-1, 0), 0.6, colors.black), size=10), hAlign="LEFT"),
    ]  # fmt: skip
    frame = Frame(90, 110, wide - 180, high - 180, 0, 0, 0, 0)
    build("paper-one-column.pdf", story, [PageTemplate("all", [frame], onPage=draw)], A4)


def manual() -> None:
    wide, high = A5
    blue = colors.HexColor("#0a4d8c")
    chapter = style("chapter", "Helvetica-Bold", 17, textColor=blue, spaceAfter=12)
    section = style("section", "Helvetica-Bold", 11.5, spaceBefore=9, spaceAfter=4, keepWithNext=1)
    text = style("text", "Helvetica", 9, leading=12, spaceAfter=5)
    step = style("step", "Helvetica", 9, leading=12, leftIndent=18, firstLineIndent=-14, spaceAfter=3)
    deep = style("deep", "Helvetica", 9, leading=12, leftIndent=34, firstLineIndent=-14, spaceAfter=3)
    code = ParagraphStyle("code", fontName="Courier", fontSize=8, leading=10, leftIndent=10)
    small = style("small", "Helvetica", 8, spaceAfter=3)
    chapters = {3: "1 Safety", 4: "2 Setting up", 5: "2 Setting up", 6: "3 Commands", 7: "4 Troubleshooting"}

    def draw(canvas: Canvas, document: Any) -> None:
        canvas.setFont("Helvetica", 7.5)
        if document.page > 2:
            canvas.drawString(45, high - 32, chapters.get(document.page, ""))
            canvas.line(45, high - 36, wide - 45, high - 36)
        if document.page > 1:
            canvas.drawString(45, 28, "Kestrel K4 User Manual")
            canvas.drawRightString(wide - 45, 28, {2: "ii"}.get(document.page, str(document.page - 2)))

    def entry(number: str, title: str, page: str, depth: int = 0) -> Table:
        dots = "." * int(88 - 1.9 * len(title) - 6 * depth)
        return Table([[f"{number}  {title} {dots}", page]], colWidths=[310 - 20 * depth, 20], hAlign="RIGHT",
                     style=TableStyle([("FONT", (0, 0), (-1, -1), "Helvetica" if depth else "Helvetica-Bold", 9),
                                       ("ALIGN", (1, 0), (1, 0), "RIGHT"), ("TOPPADDING", (0, 0), (-1, -1), 1),
                                       ("BOTTOMPADDING", (0, 0), (-1, -1), 2), ("LEFTPADDING", (0, 0), (-1, -1), 0)]))  # fmt: skip

    def box(word: str, said: str, tint: str) -> Table:
        return Table([[p(f"<b>{word}</b>", text)], [p(said, text)]], colWidths=[wide - 100],
                     style=TableStyle([("BOX", (0, 0), (-1, -1), 0.8, colors.black),
                                       ("BACKGROUND", (0, 0), (-1, -1), colors.HexColor(tint)),
                                       ("TOPPADDING", (0, 0), (-1, -1), 3), ("BOTTOMPADDING", (0, 0), (-1, -1), 1)]))  # fmt: skip

    def printer(canvas: Canvas) -> None:
        canvas.roundRect(70, 20, 150, 80, 8)
        canvas.rect(90, 40, 60, 8)
        canvas.circle(195, 75, 6)
        canvas.setFont("Helvetica", 7)
        for x, y, mark in ((60, 60, "A"), (120, 28, "B"), (207, 84, "C")):
            canvas.drawString(x, y, mark)

    cell = style("cell", "Helvetica", 8, leading=10)
    settings = [["Group", "Setting", "Values", "Default"], ["Paper", "WIDTH", "38, 62, 102 mm", "62 mm"],
                ["", "GAP", "0–9 mm", "3 mm"], ["", "DARK", "1–15", "8"], ["Network", "DHCP", "on, off", "on"],
                ["", "PORT", "1024–65535", "9100"]]  # fmt: skip
    faults = [["Display", "Meaning", "What to do"],
              [p("E01 PAPER", cell), p("The roll is empty or is not seen.", cell), p("Put in a new roll (Section 2.2).", cell)],
              [p("E02 JAM", cell), p("A label is caught behind the cutter.", cell),
               p("Switch off, open the lid and pull the label out forwards. Never pull it backwards.", cell)],
              [p("E05 HEAD", cell), p("The print head is too hot.", cell), p("Wait until the lamp is green.", cell)],
              [p("E09 NET", cell), p("No address was given by the network.", cell),
               p("Check the cable; set DHCP to off and enter an address by hand.", cell)]]  # fmt: skip
    story = [
        Spacer(1, 110),
        p("Kestrel K4", style("cover", "Helvetica-Bold", 30, textColor=blue, spaceAfter=12)),
        p("Label Printer", style("kind", "Helvetica", 18, spaceAfter=8)),
        p("User Manual", style("what", "Helvetica", 18, spaceAfter=150)),
        p("Version 2.1, May 2021", small),
        p("Kestrel Devices B.V., Havenstraat 9, 8000 Holm", small),
        PageBreak(),
        p("Contents", chapter),
        entry("1", "Safety", "1"), entry("2", "Setting up", "2"), entry("2.1", "What is in the box", "2", 1),
        entry("2.2", "Putting in a roll", "2", 1), entry("2.3", "Settings", "3", 1), entry("3", "Commands", "4"),
        entry("4", "Troubleshooting", "5"),
        Spacer(1, 200),
        p("© 2021 Kestrel Devices B.V. This manual may be copied for users of the printer.", small),
        PageBreak(),
        p("1 Safety", chapter),
        p("Read this chapter before you connect the printer. Signs on the printer have the same meaning as here.", text),
        box("WARNING", "The print head becomes hot. Do not touch it until ten minutes after the last label.", "#f7d9d0"),
        Spacer(1, 6),
        box("CAUTION", "Use only the power supply that came with the printer. Another may damage it.", "#f8efc7"),
        Spacer(1, 6),
        p("The printer is meant for dry rooms. It must not be used", text),
        p("•&nbsp;&nbsp;&nbsp;out of doors or in a bathroom,", step),
        p("•&nbsp;&nbsp;&nbsp;near a stove or in the sun,", step),
        p("•&nbsp;&nbsp;&nbsp;by children under eight years.", step),
        p("<b>Note:</b> Labels from other makers can be used, but faults that they cause are not covered by the guarantee.", text),
        PageBreak(),
        p("2 Setting up", chapter),
        p("2.1 What is in the box", section),
        p("Printer, power supply, network cable (1.5 m), one roll of labels, this manual.", text),
        p("2.2 Putting in a roll", section),
        p("Figure 2-1 shows the printer from the front. For what to do when the roll is not seen, see Chapter 4.", text),
        p("1.&nbsp;&nbsp;Press the button (C) and open the lid.", step),
        p("2.&nbsp;&nbsp;Put in the roll:", step),
        p("a.&nbsp;&nbsp;Turn it so that the labels face up.", deep),
        p("b.&nbsp;&nbsp;Move the guide (A) until it touches the roll.", deep),
        p("3.&nbsp;&nbsp;Draw the first label through the slit (B).", step),
        p("4.&nbsp;&nbsp;Close the lid. The lamp turns green.", step),
        Drawing(290, 115, printer),
        p("Figure 2-1 Front of the printer: A guide, B slit, C button", style("fig", "Helvetica-Oblique", 8, spaceAfter=6)),
        PageBreak(),
        p("2.3 Settings", section),
        p("Settings are changed with the command SET (Chapter 3) or on the printer’s page in a browser. They are kept when the "
          "power is off.", text),
        p("Table 2-1 Settings", style("tab", "Helvetica-Oblique", 8, spaceAfter=3)),
        Table(settings, colWidths=[65, 75, 110, 75], hAlign="LEFT",
              style=ruled(("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("SPAN", (0, 1), (0, 3)), ("SPAN", (0, 4), (0, 5)),
                          ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#d5e2ef")), size=8.5, face="Helvetica")),
        Spacer(1, 6),
        p("DARK above 12 shortens the life of the print head.<super>1</super> PORT is the port on which the printer listens.", text),
        Spacer(1, 130),
        HRFlowable(width=90, thickness=0.4, color=colors.black, hAlign="LEFT", spaceAfter=2),
        p("<super>1</super> By about a third, at 500 labels a day.", small),
        PageBreak(),
        p("3 Commands", chapter),
        p("Commands are sent as text, one a line, to the port set in Table 2-1. The printer answers OK or an error.", text),
        Preformatted("SET WIDTH 62\nSET DARK 9\nTEXT 10 10 \"Hello\"\nCUT", code),
        Spacer(1, 8),
        p("SET", section),
        p("SET <i>name</i> <i>value</i> changes a setting. Without a value it prints the one in use.", text),
        p("TEXT", section),
        p("TEXT <i>x</i> <i>y</i> <i>words</i> prints words. The place is in millimetres from the upper left corner:", text),
        Preformatted("TEXT 10 10 \"Fragile\"\nTEXT 10 20 \"This side up\"", code),
        Spacer(1, 8),
        p("CUT", section),
        p("CUT cuts the label off. After 200 cuts without a pause the printer rests for a minute (E05, see Table 4-1).", text),
        PageBreak(),
        p("4 Troubleshooting", chapter),
        p("The display shows a code when something is wrong. Table 4-1 lists the codes.", text),
        p("Table 4-1 Codes", style("tab2", "Helvetica-Oblique", 8, spaceAfter=3)),
        Table(faults, colWidths=[65, 120, 145], hAlign="LEFT",
              style=ruled(("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.grey), ("LINEABOVE", (0, 0), (-1, 0), 0.8, colors.black),
                          size=8.5, face="Helvetica")),
        Spacer(1, 8),
        p("If none of this helps, write to help@kestrel.example and give the number on the back of the printer.", text),
    ]  # fmt: skip
    frame = Frame(45, 50, wide - 90, high - 100, 0, 0, 0, 0)
    build("manual.pdf", story, [PageTemplate("all", [frame], onPage=draw)], A5)


def statute() -> None:
    wide, high = A4
    centre = style("centre", "Times-Roman", 11, alignment=TA_CENTER, spaceAfter=6)
    part = style("part", "Times-Bold", 11, alignment=TA_CENTER, spaceBefore=8, spaceAfter=6, keepWithNext=1)
    section = style(
        "section", "Times-Roman", 10.5, alignment=TA_JUSTIFY, spaceAfter=5, leftIndent=0, firstLineIndent=14
    )
    one = style("one", "Times-Roman", 10.5, alignment=TA_JUSTIFY, leftIndent=42, firstLineIndent=-20, spaceAfter=4)
    two = style("two", "Times-Roman", 10.5, alignment=TA_JUSTIFY, leftIndent=66, firstLineIndent=-20, spaceAfter=4)

    def draw(canvas: Canvas, document: Any) -> None:
        canvas.setFont("Times-Roman", 9.5)
        if document.page == 1:
            note = p(
                "<super size=6>1</super> Amended by the Public Bodies Act 2020, section 12: formerly “three years”.",
                style("foot", size=8.5),
            )
            note.wrap(360, 100)
            note.drawOn(canvas, 72, 72)
            canvas.line(72, 88, 162, 88)
        else:
            canvas.drawCentredString(wide / 2, high - 48, "Seed Banks Act")
            outer = (canvas.drawString, 72) if document.page % 2 == 0 else (canvas.drawRightString, wide - 72)
            outer[0](outer[1], high - 48, "No. 14 of 2018" if document.page % 2 == 0 else "2018, No. 14")
        canvas.drawCentredString(wide / 2, 42, str(310 + document.page))

    class Side(Flowable):  # type: ignore[misc]
        """A note at the side, beside what comes next."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words
            self.keepWithNext = 1

        def wrap(self, *_: float) -> tuple[float, float]:
            return 0, 0

        def draw(self) -> None:
            block = p(self.words, style("side", "Times-Roman", 8, leading=9))
            tall = block.wrap(70, 100)[1]
            block.drawOn(self.canv, 370, -tall - 1)

    story = [
        p("SEED BANKS ACT", style("name", "Times-Bold", 16, alignment=TA_CENTER, spaceAfter=6)),
        p("No. 14 of 2018", centre),
        p("AN ACT to provide for the keeping of seeds, to establish the Seed Banks Board, and for connected purposes.",
          style("long", "Times-Roman", 10.5, alignment=TA_JUSTIFY, spaceAfter=6)),
        p("[<i>Assented to 22 June 2018</i>]", centre),
        p("BE IT ENACTED by the Assembly as follows:", section),
        p("PART I<br/>PRELIMINARY", part),
        Side("Short title and commencement."),
        p("<b>1.</b> (1) This Act may be cited as the Seed Banks Act 2018.", section),
        p("(2) This Act, except Part III, comes into force on 1 October 2018. Part III comes into force on a day that the Minister "
          "appoints by order.", section),
        Side("Interpretation."),
        p("<b>2.</b> In this Act, unless the context otherwise requires—", section),
        p("“bank” means a place in which seeds are kept at a temperature below zero for longer than a year;", one),
        p("“Board” means the Seed Banks Board established by section 4;", one),
        p("“seed” includes tubers, bulbs and cuttings.", one),
        Side("Act binds the State."),
        p("<b>3.</b> This Act binds the State.", section),
        p("PART II<br/>THE BOARD", part),
        Side("Seed Banks Board."),
        p("<b>4.</b> (1) There is established a Seed Banks Board, which consists of—", section),
        p("(<i>a</i>) a chair, who must have kept a bank for at least five years;", one),
        p("(<i>b</i>) three members appointed by the Minister, of whom—", one),
        p("(i) one must be a botanist; and", two),
        p("(ii) one must be a grower; and", two),
        p("(<i>c</i>) the Chief Archivist.", one),
        p("(2) A member holds office for four years and may be appointed again once.<super size=7>1</super>", section),
        Side("Duties of Board."),
        p("<b>5.</b> The Board must keep a register of banks in the form set out in the Schedule, and must report to the Minister "
          "before 31 March of each year on the seeds that were lost, and why.", section),
        PageBreak(),
        p("PART III<br/>BANKS", part),
        Side("Licence required."),
        p("<b>6.</b> (1) A person must not keep a bank except under a licence.", section),
        p("(2) Subsection (1) does not apply to a bank with fewer than 50 kinds of seed, or to a bank in a dwelling.", section),
        p("(3) A person who contravenes subsection (1) commits an offence and is liable on conviction to a fine not exceeding "
          "5 000 crowns.", section),
        Side("Temperature to be kept."),
        p("<b>7.</b> A licensee must keep a bank at −18 °C or below, and must record its temperature every day. If it rises above "
          "−10 °C for more than six hours the licensee must, as soon as is practicable—", section),
        p("(<i>a</i>) notify the Board; and", one),
        p("(<i>b</i>) have at least ten kinds of seed tested, chosen by lot.", one),
        Side("Regulations."),
        p("<b>8.</b> The Minister may make regulations prescribing fees and the form of a licence under section 6.", section),
        KeepTogether([
            p("SCHEDULE", style("schedule", "Times-Bold", 11, alignment=TA_CENTER, spaceBefore=14, spaceAfter=2)),
            p("(Section 5)", style("where", "Times-Roman", 9.5, alignment=TA_CENTER, spaceAfter=4)),
            p("REGISTER OF BANKS", style("register", "Times-Roman", 10.5, alignment=TA_CENTER, spaceAfter=6)),
            Table([["Column 1", "Column 2", "Column 3"], ["Bank", "Licensee", "Kinds of seed kept"],
                   ["Name and place", "Name and address", "Number, and names in Latin"]], colWidths=[110, 110, 130],
                  style=TableStyle([("FONT", (0, 0), (-1, -1), "Times-Roman", 10), ("FONT", (0, 0), (-1, 0), "Times-Italic", 10),
                                    ("GRID", (0, 0), (-1, -1), 0.4, colors.black), ("ALIGN", (0, 0), (-1, -1), "CENTER")])),
        ]),
    ]  # fmt: skip
    frame = Frame(72, 72, 360, high - 144, 0, 0, 0, 0)
    build("statute.pdf", story, [PageTemplate("all", [frame], onPage=draw)], A4)


if __name__ == "__main__":
    for make in (paper, manual, statute):
        make()
