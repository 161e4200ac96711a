"""Makes PDF documents of the library whose parts have a place each: python tests/golden/make_drawn.py. The same bytes every time.

A brochure, a form and a scan. As make_documents.py: nothing here knows what the
truth files say.
"""

from __future__ import annotations

import io
import math
import random
from typing import Any

from make_documents import HERE, SANS, style
from make_more import p, ruled
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER
from reportlab.lib.pagesizes import A4, LETTER
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    Frame,
    Table,
    TableStyle,
)


def picture(seed: int, wide: int, high: int) -> ImageReader:
    """A landscape of two hills, drawn at random."""
    chance = random.Random(seed)
    image = Image.new("RGB", (wide, high), (170, 200, 225))
    draw = ImageDraw.Draw(image)
    for level, colour in ((0.45, (110, 140, 110)), (0.65, (70, 105, 75))):
        shift = chance.uniform(0, 6)
        points = [(x, high * (level + 0.1 * math.sin(x / wide * 6 + shift))) for x in range(0, wide + 1, 4)]
        draw.polygon([(0, high), *points, (wide, high)], fill=colour)
    data = io.BytesIO()
    image.save(data, "JPEG", quality=70)
    return ImageReader(io.BytesIO(data.getvalue()))


def brochure() -> None:
    wide, high = A4
    canvas = Canvas(str(HERE / "brochure.pdf"), pagesize=A4, invariant=1)
    red, pale = colors.HexColor("#8c2f1b"), colors.HexColor("#f3e6d8")
    head = style("head", "Helvetica-Bold", 15, textColor=red, spaceBefore=6, spaceAfter=6)
    under = style("under", "Helvetica-Bold", 10.5, spaceBefore=4, spaceAfter=2)
    text = style("text", "Helvetica", 9.5, leading=13, spaceAfter=6)
    white = style("white", "Helvetica", 9.5, leading=13, textColor=colors.white, spaceAfter=4)
    caption = style("caption", "Helvetica-Oblique", 8)

    def flow(items: list[Any], x: float, y: float, w: float, h: float) -> None:
        left = Frame(x, y, w, h, 0, 0, 0, 0)
        left.addFromList(items, canvas)
        assert not items

    # cover
    canvas.drawImage(picture(1, 800, 500), 0, high - 420, wide, 420)
    canvas.setFillColor(red)
    canvas.rect(0, high - 560, wide, 140, fill=1, stroke=0)
    canvas.setFillColor(colors.white)
    canvas.setFont("Helvetica-Bold", 34)
    canvas.drawString(50, high - 480, "The Salt Road")
    canvas.setFont("Helvetica", 16)
    canvas.drawString(50, high - 510, "Five days on foot from the coast to the mountains")
    canvas.setFillColor(colors.black)
    flow([p("“We came for the views and stayed for the cheese.”", style("quote", "Times-Italic", 16, alignment=TA_CENTER)),
          p("Walker from Ghent", style("who", "Helvetica", 9, alignment=TA_CENTER, spaceBefore=6))], 100, 120, wide - 200, 100)  # fmt: skip
    canvas.setFont("Helvetica", 9)
    canvas.drawCentredString(wide / 2, 40, "www.saltroad.example")
    canvas.showPage()
    # two columns, a picture with its caption across them, a box at the foot
    flow([p("An old road", head),
          p("For six hundred years salt went up to the mountains on the backs of mules, and cheese came down. The mules are gone; "
            "their road is still there, paved by hand for eighty kilometres.", text),
          p("Nobody carries much today. Your luggage goes by van from inn to inn, and you walk with a bottle of water and a map.",
            text)], 50, 470, 235, 310)  # fmt: skip
    flow([p("Who can walk it", head),
          p("Whoever can walk four hours with a rest. The steepest day climbs 640 metres; on the fourth day a bus takes those who "
            "would rather not.", text),
          p("Dogs are welcome in three of the five inns. Please ask.", text)], 310, 470, 235, 310)  # fmt: skip
    canvas.drawImage(picture(2, 800, 330), 50, 280, wide - 100, 200)
    flow([p("The bridge at Aldera, built for mules in 1544", caption)], 50, 255, wide - 100, 20)
    canvas.setFillColor(red)
    canvas.rect(50, 70, wide - 100, 160, fill=1, stroke=0)
    flow([p("Good to know", style("box", "Helvetica-Bold", 13, textColor=colors.white, spaceAfter=6)),
          p("The road is open from May to October. In June the meadows are in flower, in September the cows come down.", white),
          p("There is no signal between Aldera and the pass. Each inn has a telephone.", white)], 70, 80, wide - 140, 140)  # fmt: skip
    canvas.setFillColor(colors.black)
    canvas.setFont("Helvetica", 8)
    canvas.drawString(50, 30, "The Salt Road")
    canvas.drawRightString(wide - 50, 30, "2")
    canvas.showPage()
    # five days as a band of panels, each with its facts
    flow([p("Day by day", head)], 50, 740, wide - 100, 40)
    days = [("Day 1: Porto to Lume", "12 km, 3 ½ hours, +310 m", "Past the salt pans and through cork oaks. The inn is in the old "
             "customs house."),
            ("Day 2: Lume to Aldera", "15 km, 4 hours, +420 m", "Along the river, with pools to swim in, to the bridge."),
            ("Day 3: Aldera", "rest", "Market day. The dairy shows how cheese is made, at ten and at three."),
            ("Day 4: Aldera to the pass", "14 km, 5 hours, +640 m", "The steep day. Bus at 9:40 for those who rest."),
            ("Day 5: the pass to Neva", "11 km, 3 hours, −520 m", "Downhill through larches; train back at 16:12.")]  # fmt: skip
    top = 650.0
    for name, facts, words in days:
        canvas.setFillColor(pale)
        canvas.rect(50, top, wide - 100, 78, fill=1, stroke=0)
        canvas.setFillColor(colors.black)
        flow([p(name, under), p(facts, caption)], 60, top + 8, 170, 64)
        flow([p(words, text)], 240, top + 8, 295, 64)
        top -= 90
    canvas.setFont("Helvetica", 8)
    canvas.drawString(50, 30, "The Salt Road")
    canvas.drawRightString(wide - 50, 30, "3")
    canvas.showPage()
    # prices without rules, small print, address
    flow([p("Prices 2024", head),
          Table([["", "May, Oct", "June–Sept"], ["Person in a double room", "€ 480", "€ 560"], ["Single room", "€ 590", "€ 690"],
                 ["Child under 12", "€ 240", "€ 280"], ["Dog", "€ 25", "€ 25"]], colWidths=[190, 80, 80], hAlign="LEFT",
                style=TableStyle([("FONT", (0, 0), (-1, -1), "Helvetica", 9.5), ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9.5),
                                  ("ALIGN", (1, 0), (-1, -1), "RIGHT"), ("LEFTPADDING", (0, 0), (0, -1), 0)])),
          p("Five nights with breakfast, luggage by van, map, bus on day 4. Not included: travel, lunch, insurance.",
            style("fine", "Helvetica", 8, spaceBefore=6, spaceAfter=16)),
          p("How to book", head),
          p("1.&nbsp; Choose the day on which you want to start (any but Monday).", text),
          p("2.&nbsp; Write to <b>walk@saltroad.example</b> or call +39 0555 010 177.", text),
          p("3.&nbsp; Pay a fifth; the rest is due at the first inn.", text)], 50, 330, wide - 100, 450)  # fmt: skip
    canvas.setFillColor(pale)
    canvas.rect(0, 0, wide, 150, fill=1, stroke=0)
    canvas.setFillColor(colors.black)
    flow([p("Salt Road Inns", under), p("Via del Sale 3<br/>18010 Porto", text)], 50, 40, 200, 90)
    flow(
        [p("Getting here", under), p("Train from Genoa, hourly, two hours. The inn is opposite the station.", text)],
        310,
        40,
        235,
        90,
    )
    canvas.showPage()
    canvas.save()


def form() -> None:
    wide, high = LETTER
    canvas = Canvas(str(HERE / "form.pdf"), pagesize=LETTER, invariant=1)
    fields = canvas.acroForm

    def text(x: float, y: float, words: str, font: str = "Helvetica", size: float = 9) -> None:
        canvas.setFont(font, size)
        canvas.drawString(x, y, words)

    def part(y: float, words: str) -> None:
        canvas.setFillColor(colors.HexColor("#333333"))
        canvas.rect(45, y - 5, wide - 90, 17, fill=1, stroke=0)
        canvas.setFillColor(colors.white)
        text(50, y, words, "Helvetica-Bold", 10)
        canvas.setFillColor(colors.black)

    def field(x: float, y: float, w: float, label: str, name: str, value: str) -> None:
        canvas.rect(x, y, w, 32)
        text(x + 3, y + 23, label, size=7)
        fields.textfield(name=name, x=x + 3, y=y + 2, width=w - 6, height=17, value=value, fontSize=10, borderWidth=0,
                         fillColor=colors.white, fontName="Helvetica", forceBorder=False)  # fmt: skip

    def tick(x: float, y: float, label: str, name: str, checked: bool) -> None:
        fields.checkbox(name=name, x=x, y=y - 2, size=11, checked=checked, buttonStyle="cross", borderWidth=0.8,
                        fillColor=colors.white)  # fmt: skip
        text(x + 16, y, label)

    text(45, high - 50, "Form 7-B", "Helvetica-Bold", 11)
    canvas.setFont("Helvetica", 8)
    canvas.drawRightString(wide - 45, high - 50, "County of Elder · Department of Parks")
    text(45, high - 75, "Application for a Community Garden Plot", "Helvetica-Bold", 16)
    text(45, high - 92, "Please type or print. Questions marked * must be answered. Read the notes on page 2 first.")
    part(high - 118, "Part A. About you")
    field(45, high - 160, 260, "1. Last name *", "last", "Okafor")
    field(305, high - 160, 262, "2. First name *", "first", "Ngozi")
    field(45, high - 192, 360, "3. Address *", "address", "1188 Poplar Street, Apt. 4")
    field(405, high - 192, 162, "4. ZIP code", "zip", "97301")
    field(45, high - 224, 260, "5. Telephone", "phone", "(503) 555-0148")
    field(305, high - 224, 262, "6. E-mail", "mail", "n.okafor@mail.example")
    text(45, high - 245, "7. Have you had a plot before? (see note 1)")
    tick(280, high - 245, "Yes", "before_yes", False)
    tick(340, high - 245, "No", "before_no", True)
    part(high - 275, "Part B. The plot")
    text(45, high - 295, "8. Which garden do you prefer? Check one.")
    for index, (label, name, on) in enumerate((("Mill Creek", "mill", False), ("Fairground", "fair", True),
                                               ("Old Depot (wheelchair access)", "depot", False))):  # fmt: skip
        tick(60, high - 313 - 17 * index, label, name, on)
    text(45, high - 372, "9. Size and yearly fee (see note 2)")
    sizes = Table([["Size", "Square feet", "Fee", "Fee, reduced", "Your choice"], ["Small", "100", "$30", "$15", "X"],
                   ["Medium", "200", "$50", "$25", ""], ["Large", "400", "$90", "$45", ""]],
                  colWidths=[90, 90, 80, 90, 90],
                  style=ruled(("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("ALIGN", (1, 0), (-1, -1), "CENTER"), face="Helvetica"))  # fmt: skip
    sizes.wrapOn(canvas, wide, high)
    sizes.drawOn(canvas, 60, high - 450)
    part(high - 480, "Part C. Signature")
    text(
        45,
        high - 500,
        "I have read the garden rules and will keep to them. I understand that a plot that is not planted by June 1",
    )
    text(45, high - 512, "may be given to somebody else.")
    canvas.line(45, high - 560, 305, high - 560)
    canvas.line(345, high - 560, 567, high - 560)
    text(45, high - 571, "Signature", size=7)
    text(345, high - 571, "Date", size=7)
    fields.textfield(name="date", x=345, y=high - 558, width=200, height=17, value="February 9, 2023", fontSize=10, borderWidth=0,
                     fillColor=colors.white, fontName="Helvetica", forceBorder=False)  # fmt: skip
    canvas.rect(45, 70, wide - 90, 90)
    text(50, 147, "FOR OFFICE USE ONLY", "Helvetica-Bold", 8)
    text(50, 128, "Received by ______________     Plot no. ________     Fee paid  $ ________")
    text(50, 104, "Approved ________________     Date ____________")
    text(45, 40, "Form 7-B (rev. 11/2022)", size=7)
    canvas.setFont("Helvetica", 7)
    canvas.drawRightString(wide - 45, 40, "Page 1 of 2")
    canvas.showPage()
    frame = Frame(45, 60, wide - 90, high - 105, 0, 0, 0, 0)
    item = style("item", "Helvetica", 9.5, leftIndent=16, firstLineIndent=-16, spaceAfter=6)
    under = style("under", "Helvetica-Bold", 11, spaceBefore=6, spaceAfter=4)
    frame.addFromList([
        p("Notes", style("notes", "Helvetica-Bold", 14, spaceAfter=8)),
        p("1.&nbsp;&nbsp;&nbsp;If you had a plot in the last two years you keep it and need not apply. Send your fee only.", item),
        p("2.&nbsp;&nbsp;&nbsp;The reduced fee is for residents aged 65 or more and for those who receive food assistance. Enclose a "
          "copy of your card.", item),
        p("When you will hear from us", under),
        p("Plots are drawn by lot on the second Monday of March. You will receive a letter within two weeks. If you do not get a "
          "plot you stay on the list for the next year.", SANS),
        p("Where to send this form", under),
        p("Department of Parks<br/>Garden Office<br/>400 Court Street<br/>Elder, OR 97300", SANS),
        p("Your information", under),
        p("We use your name and address to assign plots and to write to you, and give them to nobody else (ORS 192.355).", SANS),
    ], canvas)  # fmt: skip
    text(45, 40, "Form 7-B (rev. 11/2022)", size=7)
    canvas.setFont("Helvetica", 7)
    canvas.drawRightString(wide - 45, 40, "Page 2 of 2")
    canvas.showPage()
    canvas.save()


def scan() -> None:
    """Two typed pages as a scanner gives them: pictures, a little askew, specks and grey paper."""
    fonts = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
    wide, high = 1240, 1754  # A4 at 150 dots per inch
    chance = random.Random(30)
    pages = [
        [(150, 120, "HOLM ROWING CLUB", 40), (150, 190, "Minutes of the general meeting of 4 March 1987", 26),
         (150, 260, "Present: 31 members. In the chair: Mrs Dahl.", 22),
         (150, 330, "1. Minutes of the last meeting", 24),
         (150, 375, "The minutes of 5 March 1986 were read and approved.", 22),
         (150, 440, "2. Report of the treasurer", 24),
         (150, 485, "Mr Finch reported that the club had 3,140 pounds in the", 22),
         (150, 515, "bank on 31 December. The new boat house roof had cost", 22),
         (150, 545, "1,275 pounds, less than was feared. The figures were:", 22),
         (190, 610, "", 22), (150, 860, "The auditors found the books in order.", 22),
         (150, 925, "3. Boats", 24),
         (150, 970, "The following boats are to be repaired before Easter:", 22),
         (190, 1015, "- Heron (new seats)", 22), (190, 1050, "- Otter (leaks at the stern)", 22),
         (190, 1085, "- Plover (rudder)", 22),
         (150, 1140, "Mr Lund asked whether the Otter was worth it. It was", 22),
         (150, 1170, "agreed by 19 votes to 8 that she was.", 22)],
        [(150, 120, "4. Election of officers", 24),
         (150, 165, "Mrs Dahl was elected president for a third year, Mr", 22),
         (150, 195, "Finch treasurer and Miss Reyes secretary. All accepted.", 22),
         (150, 260, "5. Any other business", 24),
         (150, 305, "Members are asked to lock the gate at night. Mr Lund", 22),
         (150, 335, "will have two more keys made.", 22),
         (150, 400, "The meeting closed at 9.40 p.m.", 22),
         (150, 520, "C. Reyes, Secretary", 22)],
    ]  # fmt: skip
    money = [("", "1986", "1985"), ("Subscriptions", "1,860", "1,790"), ("Hire of boats", "415", "388"),
             ("Roof", "-1,275", "-"), ("Repairs", "-322", "-410")]  # fmt: skip
    canvas = Canvas(str(HERE / "scan.pdf"), pagesize=A4, invariant=1)
    for number, lines in enumerate(pages):
        image = Image.new("L", (wide, high), 236)
        draw = ImageDraw.Draw(image)
        for x, y, words, size in lines:
            draw.text((x, y), words, font=ImageFont.truetype(fonts, size), fill=40)
        if not number:
            for row, (name, this, last) in enumerate(money):
                font, y = ImageFont.truetype(fonts, 22), 620 + 42 * row
                draw.text((190, y), name, font=font, fill=40)
                draw.text((640, y), this, font=font, fill=40, anchor="ra")
                draw.text((840, y), last, font=font, fill=40, anchor="ra")
            draw.line((190, 655, 840, 655), fill=60, width=2)
        draw.text((600, 1660), f"- {number + 1} -", font=ImageFont.truetype(fonts, 22), fill=40)
        for _ in range(250):
            x, y = chance.randrange(wide), chance.randrange(high)
            draw.point((x, y), fill=chance.randrange(90, 200))
        image = image.rotate(0.35 - 0.6 * number, resample=Image.Resampling.BICUBIC, fillcolor=236)
        data = io.BytesIO()
        image.filter(ImageFilter.GaussianBlur(0.6)).save(data, "JPEG", quality=72)
        canvas.drawImage(ImageReader(io.BytesIO(data.getvalue())), 0, 0, *A4)
        canvas.showPage()
    canvas.save()


if __name__ == "__main__":
    for make in (brochure, form, scan):
        make()
