# SPDX-License-Identifier: Apache-2.0
"""Tries to write attributes of reservations, by libpbs and without its own checks.

usage: write_resv.py LIBRARY, with JSON on standard input: a list of [reservation or null, [[name,
resource or null, value], ...]]; null submits a new one. Writes a list of [code, text]."""
import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int, c_uint, c_void_p
import json
import sys


class Attr(Structure):
    """struct attropl."""


Attr._fields_ = [("next", POINTER(Attr)), ("name", c_char_p), ("resource", c_char_p),
                 ("value", c_char_p), ("op", c_uint)]
pbs = ctypes.CDLL(sys.argv[1])
pbs.pbs_submit_resv.restype = pbs.pbs_modify_resv.restype = c_void_p
pbs.pbs_submit_resv.argtypes = [c_int, POINTER(Attr), c_char_p]
pbs.pbs_modify_resv.argtypes = [c_int, c_char_p, POINTER(Attr), c_char_p]
pbs.pbs_geterrmsg.restype = c_char_p
pbs.__pbs_errno_location.restype = POINTER(c_int)


def text(word):
    return None if word is None else word.encode()


def attributes(entries):
    nodes = [Attr(None, *map(text, entry), 0) for entry in entries]
    for one, following in zip(nodes, nodes[1:]):
        one.next = ctypes.pointer(following)
    return ctypes.pointer(nodes[0])


def attempt(c, rid, entries):
    at = pbs.pbs_modify_resv(c, text(rid), attributes(entries), None) if rid else \
        pbs.pbs_submit_resv(c, attributes(entries), None)
    code = pbs.__pbs_errno_location()[0]
    said = ctypes.string_at(at).decode() if at else (pbs.pbs_geterrmsg(c) or b"").decode()
    return [code if not at else 0, said]


pbs.set_no_attribute_verification()
c = pbs.pbs_connect(None)
assert c > 0, c
json.dump([attempt(c, rid, entries) for rid, entries in json.load(sys.stdin)], sys.stdout)
pbs.pbs_disconnect(c)
