"""Documents are read in further processes when there are many.

Fetching stays in this process, where politeness, deadlines and connections are kept for all sites;
it is a tenth of the work. The rest of reading a document (encoding, parsing, normal forms, dates,
limits, sections) is done by workers, which get bytes and give pages.

    pool        starts, replaces and stops workers, and says which of them reads what
    deliveries  a document on its way from the thread that reads it to a walk
    worker      one process, as its owner sees it
    child       what runs in it; imports nothing else of the product than the reading itself
    line        the connection between the two, and `messages` what they say on it
"""
