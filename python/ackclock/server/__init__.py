"""The browser's side of ackclock: recordings of traces and runs, a playground, the studies.

    from ackclock.server.app import application
    from ackclock.server.catalog import Catalog

    application(Catalog.of_files(["out.tr"]))       # an ASGI application, as `ackclock view out.tr` serves it

`docs/http-api.md` says what it answers.
"""
