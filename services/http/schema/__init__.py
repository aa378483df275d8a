"""The OpenAPI document at `/schema`: as JSON, as YAML, and as a page for people.

Litestar makes it from the routes and structs. We complete it with what the code knows and Litestar does not: the meaning of
each field, the reasons of failures, headers and examples.
"""
