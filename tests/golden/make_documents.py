"""Makes the documents of the library that were made for it: python tests/golden/make_documents.py. The same bytes every time.

They are as people have them, not as a reader would like them. Nothing here knows what the truth files say.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4, LETTER, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    FrameBreak,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

HERE = Path(__file__).parent


def style(name: str, font: str = "Times-Roman", size: float = 10.5, **more: Any) -> ParagraphStyle:
    return ParagraphStyle(name, fontName=font, fontSize=size, leading=more.pop("leading", size * 1.22), **more)


BODY = style("body", alignment=TA_JUSTIFY, spaceAfter=7)
SANS = style("sans", "Helvetica", 9.5, spaceAfter=6)


def build(name: str, story: list[Any], templates: list[PageTemplate], pagesize: tuple[float, float]) -> None:
    document = BaseDocTemplate(
        str(HERE / name), pagesize=pagesize, pageTemplates=templates, invariant=1, title="", author=""
    )
    document.build(story)


def plain_page(size: tuple[float, float], draw: Any, margin: float = 72) -> list[PageTemplate]:
    frame = Frame(margin, margin, size[0] - 2 * margin, size[1] - 2 * margin, 0, 0, 0, 0)
    return [PageTemplate("all", [frame], onPage=draw)]


def contract() -> None:
    head = style("head", "Times-Bold", 14, alignment=TA_CENTER, spaceAfter=14)
    article = style("article", "Times-Bold", 10.5, spaceBefore=8, spaceAfter=5)
    clause = style("clause", alignment=TA_JUSTIFY, leftIndent=28, firstLineIndent=-28, spaceAfter=6)
    item = style("item", alignment=TA_JUSTIFY, leftIndent=56, firstLineIndent=-20, spaceAfter=4)

    def draw(canvas: Canvas, document: Any) -> None:
        canvas.setFont("Times-Roman", 9)
        canvas.drawString(72, 40, "Lease No. 2019-114")
        canvas.drawRightString(LETTER[0] - 72, 40, f"Page {document.page} of 3")

    def p(text: str, look: ParagraphStyle = BODY) -> Paragraph:
        return Paragraph(text, look)

    def c(number: str, text: str) -> Paragraph:
        return p(f"{number}&nbsp;&nbsp;&nbsp;&nbsp;{text}", clause)

    story = [
        p("EQUIPMENT LEASE AGREEMENT", head),
        p("This Equipment Lease Agreement (this “<b>Agreement</b>”) is entered into as of March 4, 2019 (the “<b>Effective "
          "Date</b>”), by and between Harrow Mill Tooling, Inc., an Ohio corporation with offices at 88 Canal Street, Akron, "
          "Ohio 44308 (“<b>Lessor</b>”), and Northfield Bindery LLC, a limited liability company with offices at 4 Quarry Road, "
          "Kent, Ohio 44240 (“<b>Lessee</b>”)."),
        p("RECITALS", style("recitals", "Times-Bold", 10.5, alignment=TA_CENTER, spaceBefore=4, spaceAfter=6)),
        p("WHEREAS, Lessor owns certain machines for the cutting and folding of paper, and Lessee wishes to use them in its "
          "plant; and"),
        p("WHEREAS, the parties wish to set out the terms on which Lessor will lease those machines to Lessee;"),
        p("NOW, THEREFORE, in consideration of the mutual promises below, the parties agree as follows:"),
        p("1. DEFINITIONS", article),
        c("1.1", "“<b>Equipment</b>” means the machines listed in Schedule A, with all parts, tools and manuals that are delivered "
          "with them, and any replacement that Lessor supplies under Section 4.2."),
        c("1.2", "“<b>Site</b>” means Lessee’s plant at the address stated above, or another place to which Lessor has agreed in "
          "writing."),
        c("1.3", "“<b>Term</b>” has the meaning given in Section 2.1."),
        p("2. TERM AND RENT", article),
        c("2.1", "<u>Term</u>. The lease begins on the day on which the Equipment is delivered to the Site and, unless it is ended "
          "earlier under Article 5, runs for thirty-six (36) months (the “<b>Term</b>”)."),
        c("2.2", "<u>Rent</u>. Lessee shall pay Lessor the monthly rent stated in Schedule A, in advance, on or before the fifth "
          "day of each month. Rent that is not paid within ten (10) days of the day on which it is due bears interest at one "
          "percent (1.0%) per month."),
        c("2.3", "<u>Deposit</u>. Upon signing, Lessee shall pay a deposit of $7,350.00, which Lessor shall return, less any amount "
          "then due, within thirty (30) days of the end of the Term."),
        p("3. USE OF THE EQUIPMENT", article),
        c("3.1", "Lessee shall:"),
        p("(a)&nbsp;&nbsp;use the Equipment only at the Site, by trained operators, and in accordance with the manuals;", item),
        p("(b)&nbsp;&nbsp;not move, alter or attach anything to the Equipment without the prior written consent of Lessor; and",
          item),
        p("(c)&nbsp;&nbsp;allow Lessor to inspect the Equipment during business hours, upon one day’s notice.", item),
        c("3.2", "The Equipment remains the property of Lessor at all times. Lessee shall not sell, sublease or encumber it, and "
          "shall keep the plates that name Lessor as its owner legible."),
        p("4. MAINTENANCE AND LOSS", article),
        c("4.1", "Lessee shall keep the Equipment in good working order, ordinary wear excepted, and shall have it serviced every "
          "six (6) months by a firm that Lessor approves. The cost of such service is borne by Lessee."),
        c("4.2", "If a machine fails through no fault of Lessee, Lessor shall repair or replace it within fifteen (15) business "
          "days of notice. Rent for that machine abates from the sixth business day until it works again."),
        c("4.3", "Lessee bears the risk of loss of the Equipment from delivery until return, and shall insure it against fire, "
          "theft and water for not less than the value stated in Schedule A, with Lessor named as loss payee."),
        p("5. TERMINATION", article),
        c("5.1", "Either party may terminate this Agreement by written notice if the other:"),
        p("(a)&nbsp;&nbsp;fails to cure a material breach within thirty (30) days of notice of it; or", item),
        p("(b)&nbsp;&nbsp;becomes insolvent, or makes an assignment for the benefit of its creditors.", item),
        c("5.2", "Upon termination Lessee shall return the Equipment to Lessor’s works in Akron at its own cost, packed as it was "
          "delivered. For each day of delay Lessee shall pay one-thirtieth of the monthly rent."),
        p("6. GENERAL", article),
        c("6.1", "<u>Governing law</u>. This Agreement is governed by the laws of the State of Ohio, without regard to its rules on "
          "the conflict of laws."),
        c("6.2", "<u>Notices</u>. Notices are valid only if they are in writing and sent by registered mail to the addresses "
          "above."),
        c("6.3", "<u>Entire agreement</u>. This Agreement, with Schedule A, is the entire agreement of the parties on its subject "
          "and may be changed only in writing, signed by both."),
        p("IN WITNESS WHEREOF, the parties have signed this Agreement as of the Effective Date."),
        Spacer(1, 6),
        Table(
            [["HARROW MILL TOOLING, INC.", "NORTHFIELD BINDERY LLC"],
             ["By: ____________________________", "By: ____________________________"],
             ["Name: Ruth A. Calloway", "Name: Peter Osei"],
             ["Title: President", "Title: Managing Member"]],
            colWidths=[234, 234], style=TableStyle([("FONT", (0, 0), (-1, -1), "Times-Roman", 10.5),
                                                    ("LEFTPADDING", (0, 0), (-1, -1), 0)]),
        ),
        PageBreak(),
        p("SCHEDULE A", style("schedule", "Times-Bold", 12, alignment=TA_CENTER, spaceAfter=4)),
        p("Equipment, Rent and Value", style("under", "Times-Bold", 10.5, alignment=TA_CENTER, spaceAfter=10)),
        Table(
            [["Item", "Description", "Serial No.", "Monthly Rent", "Insured Value"],
             ["1", "Guillotine cutter, 45 inch", "HM-45-0921", "$1,180.00", "$48,200.00"],
             ["2", "Buckle folder, four plates", "HM-BF-2207", "$860.00", "$31,750.00"],
             ["3", "Perfect binder, single clamp", "HM-PB-0310", "$410.00", "$15,400.00"],
             ["", "Total", "", "$2,450.00", "$95,350.00"]],
            colWidths=[36, 168, 84, 90, 90],
            style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONT", (0, 0), (-1, 0), "Times-Bold", 10),
                              ("FONT", (0, 1), (-1, -1), "Times-Roman", 10), ("ALIGN", (3, 0), (-1, -1), "RIGHT")]),
        ),
        Spacer(1, 12),
        p("The Equipment will be delivered to the Site no later than April 1, 2019. Lessee shall provide a level floor and "
          "three-phase power at its own cost before delivery."),
    ]  # fmt: skip
    build("contract.pdf", story, plain_page(LETTER, draw), LETTER)


def paper() -> None:
    title = style("title", "Times-Bold", 17, alignment=TA_CENTER, spaceAfter=10)
    names = style("names", size=11, alignment=TA_CENTER, spaceAfter=3)
    place = style("place", "Times-Italic", 9.5, alignment=TA_CENTER, spaceAfter=10)
    text = style("text", size=9.5, alignment=TA_JUSTIFY, firstLineIndent=10)
    first = style("first", size=9.5, alignment=TA_JUSTIFY)
    head = style("head", "Times-Bold", 11, spaceBefore=8, spaceAfter=4, keepWithNext=1)
    under = style("under", "Times-BoldItalic", 10, spaceBefore=5, spaceAfter=3)
    small = style("small", size=8.5, alignment=TA_JUSTIFY, spaceAfter=5)
    entry = style("entry", size=8.5, alignment=TA_JUSTIFY, leftIndent=18, firstLineIndent=-18, spaceAfter=3)
    wide, high = A4

    def draw(canvas: Canvas, document: Any) -> None:
        canvas.setFont("Times-Roman", 8.5)
        if document.page > 1:
            canvas.drawString(50, high - 36, "Lindqvist et al.")
            canvas.drawRightString(wide - 50, high - 36, "Evening light and the sleep of night-shift nurses")
        canvas.drawCentredString(wide / 2, 30, str(211 + document.page))
        if document.page == 1:
            canvas.line(50, 66, 170, 66)
            canvas.setFont("Times-Roman", 5.5)
            canvas.drawString(50, 58, "1")
            canvas.setFont("Times-Roman", 8)
            canvas.drawString(54, 55, "A shift is a night shift if at least four of its hours are after 23:00.")
        if document.page == 2:
            left, foot = 80, high - 200
            canvas.setStrokeColor(colors.black)
            canvas.line(left, foot, left, foot + 130)
            canvas.line(left, foot, left + 190, foot)
            canvas.setFont("Helvetica", 7)
            for step in range(5):
                canvas.drawRightString(left - 3, foot + 28 * step - 2, str(380 - 20 + 20 * step))
            for index, (name, value) in enumerate((("Control", 58), ("Blue", 31), ("Amber", 104))):
                canvas.setFillColor(colors.grey)
                canvas.rect(left + 22 + 58 * index, foot, 34, value, fill=1)
                canvas.setFillColor(colors.black)
                canvas.drawCentredString(left + 39 + 58 * index, foot - 9, name)

    def columns(top: float) -> list[Frame]:
        each = (wide - 100 - 18) / 2
        return [Frame(50 + (each + 18) * side, 72, each, top - 72, 0, 0, 0, 0) for side in (0, 1)]

    cover = [Frame(50, high - 190, wide - 100, 140, 0, 0, 0, 0), *columns(high - 200)]
    each = (wide - 118) / 2
    second = [Frame(50, 60, each, high - 275, 0, 0, 0, 0), Frame(68 + each, 60, each, high - 116, 0, 0, 0, 0)]
    templates = [PageTemplate("cover", cover, onPage=draw), PageTemplate("figure", second, onPage=draw)]

    def p(words: str, look: ParagraphStyle = text) -> Paragraph:
        return Paragraph(words, look)

    story = [
        NextPageTemplate("figure"),
        p("Evening light and the sleep of night-shift nurses: a crossover trial", title),
        p("Maja Lindqvist<super>a</super>, Tomás Herrera<super>b</super> and Esi Boateng<super>a</super>", names),
        p("<super>a</super> Department of Nursing, Västra College, Gothenburg<br/>"
          "<super>b</super> Institute of Chronobiology, Valdivia", place),
        FrameBreak(),
        p("Abstract", head),
        p("Nurses who work at night sleep less than they need. In a crossover trial 48 nurses wore glasses with clear, blue or "
          "amber lenses in the last four hours of each night shift, for two weeks each. With amber lenses they slept 34 minutes "
          "longer than with clear ones (95% CI 21 to 47); with blue ones, 12 minutes less. Glasses are cheap, and nobody "
          "stopped wearing them.", first),
        p("<b>Keywords:</b> sleep; shift work; light; nurses", first),
        p("1. Introduction", head),
        p("About one nurse in five works at night at least once a week [1]. Those who do sleep, on average, one to two hours less "
          "by day than others sleep by night [2, 3], and the loss is not made up on days off. Light late in the shift is one "
          "cause: it delays the release of melatonin and so the time at which sleep comes [4].", first),
        p("Trials of dark glasses on the way home have had mixed results [3]. None has changed the light at work itself, which "
          "wards need. We asked whether lenses that keep out short waves in the last hours of a shift<super>1</super> lengthen "
          "the sleep after it."),
        p("2. Methods", head),
        p("2.1 Participants", under),
        p("We recruited nurses of three hospitals who worked at least six night shifts a month. Nurses with a disorder of sleep, "
          "or who took medicine for it, were left out. Of 53 who were asked 48 took part (Table 1).", first),
        p("2.2 Design", under),
        p("Each nurse wore clear, blue and amber lenses, for two weeks each, in an order that was drawn by lot, with one week "
          "between them. Sleep was measured by actigraphy at the wrist and taken as", first),
        p("<i>S</i> = <i>T</i><sub>wake</sub> − <i>T</i><sub>onset</sub> − <i>W</i>&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;(1)",
          style("formula", size=9.5, alignment=TA_CENTER, spaceBefore=5, spaceAfter=5)),
        p("where <i>W</i> is the time awake after sleep began. Means were compared by a mixed model with the nurse as a random "
          "effect.", first),
        p("<b>Table 1.</b> Participants by hospital", style("caption", size=8.5, spaceBefore=8, spaceAfter=3)),
        Table(
            [["Hospital", "Nurses", "Age, mean", "Nights a month"],
             ["Sahlgrenska", "21", "38.4", "7.2"], ["Kungälv", "15", "41.0", "8.1"], ["Borås", "12", "36.9", "6.8"],
             ["All", "48", "38.8", "7.4"]],
            colWidths=[70, 44, 54, 70],
            style=TableStyle([("FONT", (0, 0), (-1, -1), "Times-Roman", 8.5), ("LINEABOVE", (0, 0), (-1, 0), 0.8, colors.black),
                              ("LINEBELOW", (0, 0), (-1, 0), 0.4, colors.black), ("LINEBELOW", (0, -1), (-1, -1), 0.8, colors.black),
                              ("ALIGN", (1, 0), (-1, -1), "RIGHT"), ("TOPPADDING", (0, 0), (-1, -1), 1),
                              ("BOTTOMPADDING", (0, 0), (-1, -1), 2)]),
        ),
        p("3. Results", head),
        p("All 48 nurses completed the three periods. They wore the glasses in 91% of the hours asked for. Sleep after a night "
          "shift lasted 389 minutes with clear lenses, 377 with blue and 423 with amber ones (Figure 1).", first),
        p("The difference was larger in winter (41 minutes) than in summer (26 minutes), and did not depend on age. Errors in the "
          "log of medication, which the wards keep, were as many in all periods. Three nurses had headaches with blue lenses."),
        p("4. Discussion", head),
        p("Half an hour of sleep a day is more than most drugs give [4], and about as much as is gained by a nap before the shift "
          "[5]. That no more errors were made speaks against the fear that amber light makes nurses drowsy.", first),
        p("Light is not the only cause of short sleep by day. Noise, warm rooms and children who come home from school end the sleep "
          "of many nurses before they are rested, and lenses help against none of these. What they change is when sleep begins: "
          "with amber lenses our nurses slept 19 minutes after they had lain down, with clear ones 41 minutes."),
        p("Where wards were lit by daylight in the early morning, in June and July, the lenses kept out less than half of the light "
          "that reached the eye from the sides. Wider frames would have kept out more; the nurses, whom we asked, would not have "
          "worn them."),
        p("Earlier trials asked for glasses on the way home alone [3]. By then the release of melatonin has been held back for "
          "hours, and an hour of darkness does not bring it on. This may be why their results were mixed."),
        p("Our trial could not be blind: one sees the colour of one’s glasses. Sleep was measured, not told, but those who "
          "expect to sleep well may go to bed sooner."),
        NextPageTemplate("figure"),
        PageBreak(),
        p("<b>Figure 1.</b> Minutes of sleep after a night shift, by lens. Means of 48 nurses.",
          style("caption", size=8.5, spaceAfter=8)),
        p("5. Conclusion", head),
        p("Amber lenses late in the shift lengthen the sleep of nurses who work at night. Hospitals that cannot dim their wards "
          "can hand out glasses.", first),
        p("Acknowledgements", head),
        p("We thank the nurses, and the night matrons who counted the glasses every morning. The trial was paid for by the Västra "
          "Fund (grant 17-204).", first),
        p("References", head),
        p("[1]&nbsp; Eurostat. Employed persons working at nights. Luxembourg, 2018.", entry),
        p("[2]&nbsp; Åkerstedt T, Wright KP. Sleep loss and fatigue in shift work. Sleep Med Clin 2009; 4: 257–271.", entry),
        p("[3]&nbsp; Sasseville A, Hébert M. Using blue-green light at night and blue-blockers during the day. Prog "
          "Neuropsychopharmacol 2010; 34: 1236–1242.", entry),
        p("[4]&nbsp; Cajochen C. Alerting effects of light. Sleep Med Rev 2007; 11: 453–464. "
          "https://doi.org/10.1016/j.smrv.2007.07.009", entry),
        p("[5]&nbsp; Ruggiero JS, Redeker NS. Effects of napping on sleepiness. Biol Res Nurs 2014; 16: 134–142.", entry),
        p("Received 3 May 2019; accepted 28 August 2019.", small),
    ]  # fmt: skip
    build("paper-two-columns.pdf", story, templates, A4)


def invoice() -> None:
    wide, high = A4

    def draw(canvas: Canvas, document: Any) -> None:
        canvas.setFillColor(colors.HexColor("#1d4e6b"))
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(56, high - 60, "Brightwater Garden Supplies")
        canvas.setFillColor(colors.black)
        canvas.setFont("Helvetica", 8)
        canvas.drawRightString(wide - 56, high - 52, "12 Lock Lane, Newbury RG14 5AA")
        canvas.drawRightString(wide - 56, high - 62, "Tel. 01635 555 0142 · orders@brightwater.example")
        canvas.line(56, high - 70, wide - 56, high - 70)
        canvas.setFont("Helvetica", 7)
        canvas.drawString(
            56, 40, "Brightwater Garden Supplies Ltd · Registered in England 0412 7731 · VAT GB 201 4417 09"
        )
        canvas.drawRightString(wide - 56, 40, f"Page {document.page}/2")

    def p(text: str, look: ParagraphStyle = SANS) -> Paragraph:
        return Paragraph(text, look)

    goods = [
        ("40-118", "Terracotta pot, 24 cm", 24, 4.35), ("40-126", "Terracotta pot, 32 cm", 12, 7.9),
        ("40-131", "Saucer, terracotta, 24 cm", 24, 1.6), ("22-004", "Peat-free compost, 50 l", 30, 6.75),
        ("22-009", "Horticultural grit, 20 kg", 8, 5.2), ("22-015", "Bark mulch, 70 l", 16, 7.45),
        ("61-220", "Lavandula angustifolia, 2 l", 36, 5.5), ("61-231", "Salvia nemorosa, 2 l", 24, 5.95),
        ("61-240", "Nepeta racemosa, 2 l", 24, 5.25), ("61-252", "Stipa tenuissima, 2 l", 18, 6.1),
        ("61-260", "Erigeron karvinskianus, 9 cm", 60, 2.1), ("61-275", "Thymus serpyllum, 9 cm", 60, 1.95),
        ("75-010", "Watering can, steel, 9 l", 2, 28.5), ("75-022", "Hand fork, ash handle", 3, 14.2),
        ("75-023", "Trowel, ash handle", 3, 13.8), ("75-040", "Kneeling mat", 3, 8.9),
        ("90-001", "Delivery on pallet, per pallet", 2, 35.0),
    ]  # fmt: skip
    rows = [["Item", "Description", "Qty", "Unit price £", "Amount £"]]
    rows += [[code, name, str(count), f"{price:.2f}", f"{count * price:,.2f}"] for code, name, count, price in goods]
    net = sum(round(count * price, 2) for _, _, count, price in goods)
    look = TableStyle([("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 8.5), ("FONT", (0, 1), (-1, -1), "Helvetica", 8.5),
                       ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#dde8ee")), ("ALIGN", (2, 0), (-1, -1), "RIGHT"),
                       ("LINEBELOW", (0, 0), (-1, -1), 0.25, colors.grey), ("TOPPADDING", (0, 0), (-1, -1), 6),
                       ("BOTTOMPADDING", (0, 0), (-1, -1), 7)])  # fmt: skip
    totals = Table(
        [["Net", f"{net:,.2f}"], ["VAT 20 %", f"{net * 0.2:,.2f}"], ["Total due £", f"{net * 1.2:,.2f}"]],
        colWidths=[90, 80], hAlign="RIGHT",
        style=TableStyle([("FONT", (0, 0), (-1, -2), "Helvetica", 9), ("FONT", (0, -1), (-1, -1), "Helvetica-Bold", 10),
                          ("ALIGN", (1, 0), (1, -1), "RIGHT"), ("LINEABOVE", (0, -1), (-1, -1), 0.8, colors.black)]),
    )  # fmt: skip
    about = Table(
        [["Invoice no.", "2023-0871"], ["Invoice date", "14 April 2023"], ["Customer no.", "10457"],
         ["Your order", "PO 3312 of 3 April 2023"], ["Due", "14 May 2023"]],
        colWidths=[80, 140], hAlign="LEFT",
        style=TableStyle([("FONT", (0, 0), (0, -1), "Helvetica-Bold", 9), ("FONT", (1, 0), (1, -1), "Helvetica", 9),
                          ("LEFTPADDING", (0, 0), (-1, -1), 0), ("TOPPADDING", (0, 0), (-1, -1), 1),
                          ("BOTTOMPADDING", (0, 0), (-1, -1), 1)]),
    )  # fmt: skip
    story = [
        Spacer(1, 8),
        p("Hillside Primary School<br/>Attn. Mrs J. Adeyemi<br/>3 Church Road<br/>Thatcham RG19 3PN"),
        Spacer(1, 14),
        p("INVOICE", style("big", "Helvetica-Bold", 16, spaceAfter=10)),
        about,
        Spacer(1, 14),
        p("Thank you for your order. We delivered on 12 April 2023 to the school garden and invoice as follows:"),
        Table(rows, colWidths=[52, 223, 40, 80, 88], style=look, repeatRows=1),
        Spacer(1, 10),
        totals,
        Spacer(1, 14),
        p("Terms of payment", style("terms", "Helvetica-Bold", 10.5, spaceAfter=4)),
        p("Please pay within 30 days of the date of this invoice, without deduction, and quote the invoice number. After that date "
          "we may charge interest under the Late Payment of Commercial Debts Act."),
        p("Plants that fail within six weeks of delivery are replaced free of charge if they were watered as described on their "
          "labels."),
        p("Bank: Kennet Bank · Sort code 20-00-00 · Account 5550 1234"),
    ]  # fmt: skip
    frame = Frame(56, 60, wide - 112, high - 140, 0, 0, 0, 0)
    build("invoice.pdf", story, [PageTemplate("all", [frame], onPage=draw)], A4)


def slides() -> None:
    wide, high = 720, 405
    canvas = Canvas(str(HERE / "slides.pdf"), pagesize=(wide, high), invariant=1)
    ink, paint = colors.HexColor("#22313f"), colors.HexColor("#d9822b")

    def foot(number: int) -> None:
        canvas.setFont("Helvetica", 9)
        canvas.setFillColor(colors.grey)
        canvas.drawString(40, 18, "City cycling review · Transport Committee, 9 June")
        canvas.drawRightString(wide - 40, 18, str(number))
        canvas.setFillColor(ink)

    def slide(number: int, title: str) -> None:
        canvas.setFillColor(paint)
        canvas.rect(0, high - 14, wide, 14, fill=1, stroke=0)
        canvas.setFillColor(ink)
        canvas.setFont("Helvetica-Bold", 26)
        canvas.drawString(40, high - 62, title)
        foot(number)

    def bullets(items: list[tuple[int, str]], top: float, left: float = 48) -> None:
        for depth, text in items:
            size = 18 if not depth else 15
            canvas.setFont("Helvetica", size)
            canvas.drawString(left + 26 * depth, top, "•" if not depth else "–")
            canvas.drawString(left + 26 * depth + 18, top, text)
            top -= 1.7 * size

    canvas.setFillColor(ink)
    canvas.rect(0, 0, wide, high, fill=1, stroke=0)
    canvas.setFillColor(colors.white)
    canvas.setFont("Helvetica-Bold", 36)
    canvas.drawString(60, 240, "City cycling review")
    canvas.setFont("Helvetica", 20)
    canvas.drawString(60, 205, "What three years of new lanes have changed")
    canvas.setFont("Helvetica", 14)
    canvas.drawString(60, 120, "Dana Whitlock, Highways Department")
    canvas.drawString(60, 100, "Transport Committee, 9 June")
    canvas.showPage()
    slide(2, "Where we are")
    bullets([(0, "41 km of protected lanes since 2020"), (1, "27 km on main roads"), (1, "14 km through parks"),
             (0, "Counts doubled on nine of twelve routes"), (0, "Two junctions remain that most riders avoid"),
             (1, "Mill Street / Ring Road"), (1, "Station Square")], 290)  # fmt: skip
    canvas.showPage()
    slide(3, "Trips by bicycle")
    base = 90
    canvas.line(90, base, 90, base + 200)
    canvas.line(90, base, 630, base)
    canvas.setFont("Helvetica", 11)
    for step in range(5):
        canvas.drawRightString(84, base + 45 * step - 4, f"{5 * step}")
    for index, (year, value) in enumerate(
        (("2019", 7.2), ("2020", 9.8), ("2021", 12.1), ("2022", 15.4), ("2023", 17.9))
    ):
        canvas.setFillColor(paint)
        canvas.rect(120 + 100 * index, base, 56, 9 * value, fill=1, stroke=0)
        canvas.setFillColor(ink)
        canvas.drawCentredString(148 + 100 * index, base - 16, year)
        canvas.drawCentredString(148 + 100 * index, base + 9 * value + 5, f"{value}")
    canvas.setFont("Helvetica-Oblique", 12)
    canvas.drawString(90, 48, "Thousand trips on a weekday, all twelve counters")
    canvas.showPage()
    slide(4, "Cost and use by route")
    table = Table(
        [["Route", "Length km", "Cost £m", "Trips a day"], ["Riverside", "8.4", "3.1", "4,210"],
         ["Mill Street", "5.2", "4.6", "2,980"], ["University", "6.7", "2.2", "3,640"], ["Ring Road", "9.0", "7.8", "1,150"]],
        colWidths=[220, 120, 120, 140], rowHeights=34,
        style=TableStyle([("FONT", (0, 0), (-1, -1), "Helvetica", 16), ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 16),
                          ("LINEBELOW", (0, 0), (-1, 0), 1.2, ink), ("ALIGN", (1, 0), (-1, -1), "RIGHT")]),
    )  # fmt: skip
    table.wrapOn(canvas, wide, high)
    table.drawOn(canvas, 50, 110)
    canvas.showPage()
    slide(5, "What people tell us")
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(48, 295, "Riders")
    canvas.drawString(390, 295, "Shops")
    bullets(
        [(1, "Gaps matter more than width"), (1, "Park lanes are dark in winter"), (1, "More stands at the station")],
        268,
        24,
    )
    bullets(
        [(1, "Deliveries need a bay each"), (1, "Fewer cars, as many customers"), (1, "Works took too long")], 268, 366
    )
    canvas.showPage()
    slide(6, "Decisions asked for")
    canvas.setFont("Helvetica", 18)
    for number, text in enumerate(("Close the gap at Station Square by March", "Light the park lanes before October",
                                   "Count every quarter and publish the counts"), 1):  # fmt: skip
        canvas.drawString(48, 330 - 40 * number, f"{number}.")
        canvas.drawString(76, 330 - 40 * number, text)
    canvas.showPage()
    canvas.save()


def leaflet() -> None:
    wide, high = landscape(A4)
    canvas = Canvas(str(HERE / "leaflet.pdf"), pagesize=(wide, high), invariant=1)
    panel = wide / 3
    green = colors.HexColor("#2f6b3c")

    def flow(items: list[tuple[str, ParagraphStyle]], column: int, top: float = 40) -> None:
        frame = Frame(panel * column + 24, 30, panel - 48, high - 30 - top, 0, 0, 0, 0)
        frame.addFromList([Paragraph(text, look) for text, look in items], canvas)

    big = style("big", "Helvetica-Bold", 24, textColor=colors.white, spaceAfter=10)
    sub = style("sub", "Helvetica", 13, textColor=colors.white, spaceAfter=10)
    head = style("head", "Helvetica-Bold", 14, textColor=green, spaceBefore=8, spaceAfter=5)
    text = style("text", "Helvetica", 10, leading=13, spaceAfter=6)
    bold = style("bold", "Helvetica-Bold", 10.5, spaceAfter=2)
    item = style("item", "Helvetica", 10, leading=13, leftIndent=12, firstLineIndent=-12, spaceAfter=3)
    flow([("How to find us", head), ("The orchard lies behind St Mary’s church, ten minutes on foot from the station. Bus 14 "
          "stops at the gate.", text), ("There is no car park. Please leave bicycles at the rack by the barn.", text),
          ("Opening hours", head), ("April to October, daily 10 to 18", text), ("November to March, Saturdays 11 to 15", text),
          ], 0)  # fmt: skip
    flow([("Friends of Holm Orchard", bold), ("The Barn, Church Path<br/>Holm AB4 2XY", text),
          ("Telephone 01555 550 177<br/>www.holmorchard.example", text),
          ("Registered charity no. 555 0192", style("tiny", "Helvetica", 8))], 1, 430)  # fmt: skip
    canvas.setFillColor(green)
    canvas.rect(2 * panel, 0, panel, high, fill=1, stroke=0)
    flow([("Holm Orchard", big), ("Two hundred old apple trees in the middle of the town, open to all", sub)], 2, 150)
    canvas.showPage()
    flow([("A town orchard", head), ("In 1897 the brewer Amos Holm planted an orchard for the children of his workers. When the "
          "brewery closed, the trees were forgotten. Since 2004 volunteers have looked after them again.", text),
          ("Today 212 trees of 67 kinds stand here, some of them found nowhere else.", text),
          ("What grows here", head), ("•&nbsp; 140 apple trees, the oldest from 1899", item), ("•&nbsp; 38 pears", item),
          ("•&nbsp; 22 plums and damsons", item), ("•&nbsp; 12 quinces and medlars", item)], 0)  # fmt: skip
    flow([("The year in the orchard", head), ("January", bold), ("Wassail: we sing to the trees, with cider and torches.", text),
          ("May", bold), ("Blossom Sunday, with bees, cake and a brass band.", text), ("August", bold),
          ("Summer pruning. Bring gloves; we have the saws.", text), ("October", bold),
          ("Apple Day: press your own juice. Bring clean bottles.", text)], 1)  # fmt: skip
    flow([("Lend a hand", head), ("We meet every second Saturday at ten. No skill is needed, and there is soup at one.", text),
          ("Adopt a tree", head), ("For £30 a year a tree bears your name, and its fruit is yours.", text),
          ("Please", head), ("•&nbsp; pick up windfalls, and leave the rest until Apple Day", item),
          ("•&nbsp; keep dogs on a lead", item), ("•&nbsp; do not climb: the trees are old", item)], 2)  # fmt: skip
    canvas.showPage()
    canvas.save()


def accounts() -> None:
    wide, high = A4
    head = style("head", "Helvetica-Bold", 16, textColor=colors.HexColor("#003a5d"), spaceAfter=10)
    under = style("under", "Helvetica-Bold", 11, spaceBefore=8, spaceAfter=4)
    note = style("note", "Helvetica-Bold", 10, spaceBefore=6, spaceAfter=3)

    def draw(canvas: Canvas, document: Any) -> None:
        canvas.setFont("Helvetica", 8)
        if document.page > 1:
            canvas.drawString(60, high - 40, "Tidewell Ferries plc")
            canvas.drawRightString(wide - 60, high - 40, "Annual Report and Accounts 2022")
        canvas.drawCentredString(wide / 2, 34, str(document.page))

    def p(text: str, look: ParagraphStyle = SANS) -> Paragraph:
        return Paragraph(text, look)

    def sheet(
        rows: list[list[str]], totals: tuple[int, ...], widths: list[float], groups: tuple[int, ...] = ()
    ) -> Table:
        look = [("FONT", (0, 0), (-1, -1), "Helvetica", 9), ("FONT", (0, 0), (-1, 1), "Helvetica-Bold", 9),
                ("ALIGN", (1, 0), (-1, -1), "RIGHT"), ("LINEBELOW", (0, 1), (-1, 1), 0.6, colors.black),
                ("TOPPADDING", (0, 0), (-1, -1), 1.5), ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5), ("LEFTPADDING", (0, 0), (0, -1), 0)]  # fmt: skip
        for row in totals:
            look += [
                ("LINEABOVE", (-2, row), (-1, row), 0.6, colors.black),
                ("FONT", (0, row), (-1, row), "Helvetica-Bold", 9),
            ]
        look += [("FONT", (0, row), (-1, row), "Helvetica-Bold", 9) for row in groups]
        return Table(rows, colWidths=widths, style=TableStyle(look), hAlign="LEFT")

    story = [
        Spacer(1, 120),
        p("Tidewell Ferries plc", style("cover", "Helvetica-Bold", 28, textColor=colors.HexColor("#003a5d"), spaceAfter=14)),
        p("Annual Report and Accounts 2022", style("cover2", "Helvetica", 18, spaceAfter=200)),
        p("Company number 0155 5012", SANS),
        PageBreak(),
        p("Chair’s statement", head),
        p("2022 was the year in which our passengers came back. We carried 3.4 million people, 61% more than in 2021, and for the "
          "first time since 2019 the islands’ summer timetable ran in full."),
        p("Revenue rose to £48.6 million. Fuel cost us £11.9 million, nearly twice what it did the year before; about half of that "
          "we could pass on. Profit before tax was £3.2 million, after a loss of £2.7 million in 2021."),
        p("Highlights", under),
        sheet([["", "2022", "2021", "Change"], ["", "", "", "%"], ["Passengers (million)", "3.4", "2.1", "61.9"],
               ["Vehicles (thousand)", "412", "355", "16.1"], ["Sailings on time (%)", "94.2", "96.8", "(2.7)"],
               ["Employees, average", "386", "371", "4.0"]], (), [220, 70, 70, 70]),
        p("The board proposes a dividend of 4.0p per share (2021: nil). We thank our crews, who sailed in all but eleven days of "
          "the year."),
        p("Moira Tennant", style("sign", "Helvetica-Bold", 9.5, spaceBefore=10)),
        p("Chair, 14 March 2023"),
        PageBreak(),
        p("Balance sheet", head),
        p("as at 31 December 2022", style("asat", "Helvetica", 9.5, spaceAfter=8)),
        sheet([["", "Note", "2022", "2021"], ["", "", "£000", "£000"], ["Non-current assets", "", "", ""],
               ["Vessels", "2", "61,340", "64,115"], ["Land and buildings", "", "8,207", "8,390"],
               ["", "", "69,547", "72,505"], ["Current assets", "", "", ""], ["Inventories", "", "1,048", "872"],
               ["Trade receivables", "3", "4,415", "3,996"], ["Cash at bank", "", "9,861", "5,204"], ["", "", "15,324", "10,072"],
               ["Current liabilities", "", "", ""], ["Trade payables", "", "(7,730)", "(6,488)"],
               ["Loans due within one year", "4", "(3,000)", "(3,000)"], ["", "", "(10,730)", "(9,488)"],
               ["Loans due after one year", "4", "(21,000)", "(24,000)"], ["Net assets", "", "53,141", "49,089"],
               ["Equity", "", "", ""], ["Share capital", "", "20,000", "20,000"], ["Retained earnings", "", "33,141", "29,089"],
               ["Total equity", "", "53,141", "49,089"]], (5, 10, 14, 16, 20), [230, 50, 80, 80], (2, 6, 11, 17)),
        Spacer(1, 10),
        p("The accounts were approved by the board on 14 March 2023 and signed on its behalf by M. Tennant and O. Reyes."),
        PageBreak(),
        p("Notes to the accounts", head),
        p("1. Basis of preparation", note),
        p("The accounts have been prepared under the historical cost convention and in accordance with FRS 102. They are "
          "presented in pounds sterling, rounded to the nearest thousand."),
        p("2. Vessels", note),
        sheet([["", "2022", "2021"], ["", "£000", "£000"], ["Cost at 1 January", "98,220", "97,764"], ["Additions", "1,310", "456"],
               ["Cost at 31 December", "99,530", "98,220"], ["Depreciation", "(38,190)", "(34,105)"],
               ["Net book value", "61,340", "64,115"]], (4, 6), [250, 80, 80]),
        p("Vessels are written off over 30 years, their engines over 15."),
        p("3. Trade receivables", note),
        p("Trade receivables are stated after a provision of £112,000 (2021: £140,000). The largest customer owes 22% of the "
          "amount."),
        p("4. Loans", note),
        p("The loans are secured on MV <i>Skerry</i> and MV <i>Holmsound</i>, bear interest at SONIA plus 1.9% and are repaid in "
          "quarterly instalments until December 2030."),
    ]  # fmt: skip
    build("annual-report.pdf", story, plain_page(A4, draw, 60), A4)


if __name__ == "__main__":
    for make in (contract, paper, invoice, slides, leaflet, accounts):
        make()
