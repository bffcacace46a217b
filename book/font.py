"""The font of formulas: what formulas may need of STIX Two Math, for the browsers of telephones, which have none.

    uv run --no-project --with fonttools --with brotli --with ziamath==0.13 python book/font.py

It is run by hand when a formula needs a sign that the font lacks, which a test tells: add the sign here. The package
`ziamath` has the whole font. Kept are the letters and signs below, how brackets grow, and the forms of small print.
"""

import importlib.util
from pathlib import Path

FONT = Path(__file__).parent / "_static/fonts/STIXTwoMath-subset.woff2"
SOURCE = "fonts/STIXTwoMath-Regular.ttf"
SIGNS = (
    "20-7E A0 AC AF B1 B7 D7 F7 131 237 2C6 2C7 2D8-2DC 300-304 307 308 30C "  # letters, accents
    "391-3A9 3B1-3C9 3D1 3D5 3D6 3F1 3F5 "  # Greek
    "2013 2014 2016 2018-201D 2022 2026 2032-2034 2044 2061-2064 "  # punctuation, primes, what is not seen
    "2102 210B 210E 2110-2115 2119-211D 2124 212C 2130 2131 2133 "  # script and double letters outside their block
    "FE00 2190-2199 21A6 21D0-21D5 27F5-27FC "  # arrows
    "2200-220B 220F-2213 2216-221E 2223-222E 2234 2235 223C 2243 2245 2248 2254 2260-2265 226A 226B "
    "2282-2287 228E 2293-2299 22A4 22A5 22C0-22C6 22EE-22F1 2308-230B 23DE 23DF 25A0 25A1 27E8 27E9 2A7D 2A7E "
    "1D400-1D467 1D49C-1D4B5 1D538-1D56B 1D6A8-1D755 1D7CE-1D7D7"  # bold, italic, script and double letters, digits
)


def main():
    from fontTools import subset  # neither is needed to build the book

    options = subset.Options(
        flavor="woff2", hinting=False, layout_features=["ssty", "dtls"], name_IDs=["*"], drop_tables=["DSIG", "GPOS"]
    )
    whole = Path(importlib.util.find_spec("ziamath").origin).parent / SOURCE
    font = subset.load_font(whole, options)
    part = subset.Subsetter(options)
    part.populate(unicodes=subset.parse_unicodes(SIGNS.replace(" ", ",")))
    part.subset(font)
    narrow_roots(font)
    subset.save_font(font, FONT, options)
    print(f"{FONT}: {FONT.stat().st_size / 1e3:.0f} kB")


def narrow_roots(font):
    """Make tall signs of roots as narrow as the small one: Chromium leaves room behind each root for the widest."""
    sign = font.getBestCmap()[ord("√")]
    variants = font["MATH"].table.MathVariants
    taller = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(sign)]
    records = [record.VariantGlyph for record in taller.MathGlyphVariantRecord]
    for name in {*records, *(piece.glyph for piece in taller.GlyphAssembly.PartRecords)} - {sign}:
        (narrow, _), (wide, bearing) = font["hmtx"][sign], font["hmtx"][name]
        font["glyf"][name].coordinates.scale((narrow / wide, 1))
        font["glyf"][name].recalcBounds(font["glyf"])
        font["hmtx"][name] = narrow, round(bearing * narrow / wide)


def signs():
    ends = [[int(end, 16) for end in span.split("-")] for span in SIGNS.split()]
    return {chr(code) for first, *last in ends for code in range(first, (last or [first])[0] + 1)}


if __name__ == "__main__":
    main()
