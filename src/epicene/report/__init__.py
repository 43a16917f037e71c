"""Records to what people read: tables, figures and one self-contained page.

This room knows neither suites nor runs: it is given records and gives text or bytes.
"""
