"""Documents are read in further processes when there are many.

Fetching stays in this process, where politeness, deadlines and connections are kept for all sites;
it is a tenth of the work. The rest of reading a document (encoding, parsing, normal forms, dates,
limits, sections) happens in a worker, which gets bytes and gives pages.

    pool        starts, replaces and stops workers, and says which of them reads what
    deliveries  a document that is read by a thread and taken up by a walk
    worker      one process, as its owner sees it; `child` is what runs in it
    packing     rows of pages on their way between processes
"""

from submitter.parallel.pool import ReaderPool

__all__ = ["ReaderPool"]
