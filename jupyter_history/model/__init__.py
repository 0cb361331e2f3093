"""The model side: what models there are, how a request is streamed, and the model that needs no key.

Importing this package, `catalog` or `events` does not import the SDK.
"""
