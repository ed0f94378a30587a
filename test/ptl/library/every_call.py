# SPDX-License-Identifier: Apache-2.0
"""Does through ctypes what every_call.c does, and says the same.

usage: every_call.py LIBRARY SCRIPT-FILE"""
import ctypes
from ctypes import (POINTER, Structure, byref, c_char, c_char_p, c_int, c_size_t, c_uint, c_ulong,
                    c_void_p, cast, string_at)
import sys


class Attr(Structure):
    """struct attrl and struct attropl."""


Attr._fields_ = [("next", POINTER(Attr)), ("name", c_char_p), ("resource", c_char_p),
                 ("value", c_char_p), ("op", c_uint)]


class Status(Structure):
    pass


Status._fields_ = [("next", POINTER(Status)), ("name", c_char_p), ("attribs", POINTER(Attr)),
                   ("text", c_char_p)]


class Deleted(Structure):
    pass


Deleted._fields_ = [("next", POINTER(Deleted)), ("name", c_char_p), ("code", c_int)]


class AttrError(Structure):
    _fields_ = [("attribute", POINTER(Attr)), ("code", c_int), ("message", c_char_p)]


class AttrErrors(Structure):
    _fields_ = [("n", c_int), ("v", POINTER(AttrError))]


class Preempted(Structure):
    _fields_ = [("job_id", c_char * 276), ("order", c_char * 6)]


assert [ctypes.sizeof(t) for t in (Attr, Status, Deleted, AttrError, AttrErrors, Preempted)] == \
    [40, 32, 24, 24, 16, 282]

SET, INCR, EQ, GE = 0, 2, 4, 6
CREATE, MGR_SET, QUEUE = 0, 2, 1
pbs = ctypes.CDLL(sys.argv[1])
libc = ctypes.CDLL(None)
libc.free.argtypes = [c_void_p]

# Result type and parameters: i int, L unsigned long, z size, s text, a attributes, v texts,
# p pointer.
KINDS = {"i": c_int, "L": c_ulong, "z": c_size_t, "s": c_char_p, "a": POINTER(Attr),
         "v": POINTER(c_char_p), "p": c_void_p, "S": POINTER(Status), "D": POINTER(Deleted),
         "E": POINTER(AttrErrors), "P": POINTER(Preempted), "I": POINTER(c_int), "-": None}
SHAPES = """
pbs_loadconf i i|pbs_default s|pbs_query_max_connections i|pbs_connect i s|pbs_disconnect i i
pbs_connect_extend i ss|pbs_connect_noblk i s|pbs_connection_set_nodelay i i|pbs_geterrno i
pbs_geterrmsg s i|pbs_get_attributes_in_error E i|pbs_submit p iasss
pbs_submit_with_cred p iasssizs|pbs_alterjob i isas|pbs_asyalterjob i isas|pbs_holdjob i isss
pbs_rlsjob i isss|pbs_locjob p iss|pbs_movejob i isss|pbs_msgjob i isiss|pbs_orderjob i isss
pbs_relnodesjob i isss|pbs_rerunjob i iss|pbs_runjob i isss|pbs_asyrunjob i isss
pbs_asyrunjob_ack i isss|pbs_stagein i isss|pbs_sigjob i isss|pbs_deljob i iss
pbs_deljoblist D ivis|pbs_delstatfree - D|pbs_submit_resv p ias|pbs_modify_resv p isas
pbs_delresv i iss|pbs_confirmresv i issLs|pbs_selectjob v ias|pbs_selstat S iaas
pbs_statjob S isas|pbs_statque S isas|pbs_statserver S ias|pbs_statsched S ias
pbs_statvnode S isas|pbs_stathost S isas|pbs_statnode S isas|pbs_statresv S isas
pbs_statrsc S isas|pbs_stathook S isas|pbs_statfree - S|pbs_manager i iiisas|pbs_terminate i iis
pbs_register_sched i sii|pbs_defschreply i iisiss|pbs_preempt_jobs P iv|pbs_py_spawn i isvv
pbs_rescquery i iviIIII|pbs_rescreserve i iviI|pbs_rescrelease i ii|totpool i ii|usepool i ii
avail s is|pbs_client_thread_set_single_threaded_mode -|set_no_attribute_verification -
__pbs_errno_location I|__pbs_server_location s
"""
for shape in SHAPES.replace("\n", "|").split("|"):
    if shape:
        name, result, *parameters = shape.split()
        call = getattr(pbs, name)
        call.restype = KINDS[result]
        call.argtypes = [KINDS[k] for k in "".join(parameters)]


def errno():
    return pbs.__pbs_errno_location()[0]


def attributes(*entries):
    """(name, resource, value, operator) each, as a list."""
    nodes = [Attr(None, n, r, v, op) for n, r, v, op in entries]
    for one, following in zip(nodes, nodes[1:]):
        one.next = ctypes.pointer(following)
    return ctypes.pointer(nodes[0])


def texts(*words):
    return (c_char_p * (len(words) + 1))(*words, None)


def say(name, *what):
    print(name, *(w.decode() if isinstance(w, bytes) else w for w in what))


def say_text(name, at):
    said = string_at(at).decode() if at else "-"
    say(name, said, errno())
    libc.free(at)


def say_list(name, found):
    line, st = [name, str(errno())], found
    while st:
        one, a = st.contents, st.contents.attribs
        word = one.name.decode()
        while a:
            entry = a.contents
            word += ",%s%s=%s" % (entry.name.decode(), "." + entry.resource.decode()
                                  if entry.resource else "", entry.value.decode())
            a = entry.next
        line.append(word)
        st = one.next
    print(*line)
    pbs.pbs_statfree(found)


def connections():
    say("pbs_loadconf", pbs.pbs_loadconf(0))
    say("pbs_default", pbs.pbs_default())
    say("pbs_query_max_connections", pbs.pbs_query_max_connections())
    c = pbs.pbs_connect(None)
    say("pbs_connect", int(c > 2))
    say("pbs_server", pbs.__pbs_server_location())
    say("pbs_connect_extend", pbs.pbs_disconnect(pbs.pbs_connect_extend(b"localhost", b"hello")))
    say("pbs_connect_noblk", pbs.pbs_disconnect(pbs.pbs_connect_noblk(b"")))
    say("pbs_connection_set_nodelay", pbs.pbs_connection_set_nodelay(c))
    say("pbs_connection_set_nodelay", pbs.pbs_connection_set_nodelay(999))
    return c


JOB = attributes((b"Job_Name", None, b"one", EQ), (b"Resource_List", b"ncpus", b"2", GE))
WANTED = attributes((b"comment", None, b"", SET))
PRIORITY = attributes((b"Priority", None, b"7", INCR))
START = attributes((b"reserve_start", None, b"4000000000", SET))
TYPE = attributes((b"queue_type", None, b"e", SET))
UNKNOWN = attributes((b"no_such", None, b"1", SET), (b"queue_type", None, b"e", SET))


def jobs(c, script):
    say_text("pbs_submit", pbs.pbs_submit(c, JOB, script, b"workq", b"x"))
    say_text("pbs_submit", pbs.pbs_submit(c, None, None, None, None))
    say_text("pbs_submit", pbs.pbs_submit(c, None, b"/no/such/file", None, None))
    say("pbs_geterrmsg", pbs.pbs_geterrmsg(c))
    say_text("pbs_submit_with_cred",
             pbs.pbs_submit_with_cred(c, None, None, None, None, 3, 3, b"a\0b"))
    say("pbs_alterjob", pbs.pbs_alterjob(c, b"1.x", PRIORITY, b"y"))
    say("pbs_asyalterjob", pbs.pbs_asyalterjob(c, b"1.x", PRIORITY, None))
    say("pbs_holdjob", pbs.pbs_holdjob(c, b"1.x", None, None))
    say("pbs_rlsjob", pbs.pbs_rlsjob(c, b"1.x", b"os", None))
    say_text("pbs_locjob", pbs.pbs_locjob(c, b"1.x", None))
    say("pbs_movejob", pbs.pbs_movejob(c, b"1.x", b"q@h", None))
    say("pbs_msgjob", pbs.pbs_msgjob(c, b"1.x", 3, b"hi", None))
    say("pbs_msgjob", pbs.pbs_msgjob(c, b"1.x", 0, b"", None))
    say("pbs_orderjob", pbs.pbs_orderjob(c, b"1.x", b"2.x", None))
    say("pbs_relnodesjob", pbs.pbs_relnodesjob(c, b"1.x", b"n1+n2", None))
    say("pbs_relnodesjob", pbs.pbs_relnodesjob(c, b"1.x", b"", b"3"))
    for keep in (b"0", b"all"):
        say("pbs_relnodesjob", pbs.pbs_relnodesjob(c, b"1.x", b"", keep))
        say("pbs_geterrmsg", pbs.pbs_geterrmsg(c))
    say("pbs_rerunjob", pbs.pbs_rerunjob(c, b"9.x", b"force"))
    say("pbs_geterrmsg", pbs.pbs_geterrmsg(c))
    say("pbs_geterrno", pbs.pbs_geterrno())
    say("pbs_rerunjob", pbs.pbs_rerunjob(c, b"", None))
    say("pbs_runjob", pbs.pbs_runjob(c, b"1.x", b"(n1:ncpus=1)", None))
    say("pbs_asyrunjob", pbs.pbs_asyrunjob(c, b"1.x", None, None))
    say("pbs_asyrunjob_ack", pbs.pbs_asyrunjob_ack(c, b"1.x", b"n1", None))
    say("pbs_stagein", pbs.pbs_stagein(c, b"1.x", b"n1", None))
    say("pbs_sigjob", pbs.pbs_sigjob(c, b"1.x", b"SIGUSR1", None))
    say("pbs_sigjob", pbs.pbs_sigjob(c, b"1.x", None, None))


def deletions(c):
    say("pbs_deljob", pbs.pbs_deljob(c, b"1.x", b"deletehist"))
    say("pbs_deljob", pbs.pbs_deljob(c, b"1.x", None))
    found = pbs.pbs_deljoblist(c, texts(b"1.x", b"2.x", b"1.x", b"3.x"), 4, b"nomailforce")
    st = found
    while st:
        say("pbs_deljoblist", st.contents.name, st.contents.code)
        st = st.contents.next
    pbs.pbs_delstatfree(found)
    say("pbs_delstatfree", errno())


def reservations(c):
    say_text("pbs_submit_resv", pbs.pbs_submit_resv(c, START, b"m"))
    say_text("pbs_modify_resv", pbs.pbs_modify_resv(c, b"R1.x", START, b"force"))
    say_text("pbs_modify_resv", pbs.pbs_modify_resv(c, b"R1.x", None, None))
    say("pbs_delresv", pbs.pbs_delresv(c, b"R1.x", None))
    say("pbs_confirmresv",
        pbs.pbs_confirmresv(c, b"R1.x", b"(n1:ncpus=1)", 4000000000, b"OK"))


def status(c):
    ids = pbs.pbs_selectjob(c, JOB, b"T")
    assert ids, (errno(), pbs.pbs_geterrmsg(c))
    places = cast(ids, POINTER(c_void_p))
    i = 0
    while ids[i]:
        say("pbs_selectjob", ids[i])
        libc.free(places[i])
        i += 1
    libc.free(cast(ids, c_void_p))
    say_list("pbs_selstat", pbs.pbs_selstat(c, JOB, WANTED, b"S"))
    say_list("pbs_statjob", pbs.pbs_statjob(c, b"1[].x", None, b"t"))
    say_list("pbs_statque", pbs.pbs_statque(c, b"workq", WANTED, None))
    say_list("pbs_statserver", pbs.pbs_statserver(c, WANTED, None))
    say_list("pbs_statsched", pbs.pbs_statsched(c, WANTED, None))
    say_list("pbs_statvnode", pbs.pbs_statvnode(c, b"n1", WANTED, None))
    say_list("pbs_stathost", pbs.pbs_stathost(c, b"alpha", None, None))
    say_list("pbs_stathost", pbs.pbs_stathost(c, b"gamma", None, None))
    say_list("pbs_statnode", pbs.pbs_statnode(c, b"", None, None))
    say_list("pbs_statresv", pbs.pbs_statresv(c, b"", None, None))
    say_list("pbs_statrsc", pbs.pbs_statrsc(c, b"ncpus", None, b"p"))
    say_list("pbs_stathook", pbs.pbs_stathook(c, b"h1", None, b"pbshook"))
    say_list("pbs_stathook", pbs.pbs_stathook(c, b"h1", None, b"other"))


def administration(c):
    say("pbs_manager", pbs.pbs_manager(c, CREATE, QUEUE, b"q2", TYPE, None))
    say("pbs_manager", pbs.pbs_manager(c, CREATE, QUEUE, b"q2", UNKNOWN, None))
    bad = pbs.pbs_get_attributes_in_error(c).contents
    say("pbs_get_attributes_in_error", bad.n, bad.v[0].attribute.contents.name, bad.v[0].code,
        bad.v[0].message)
    pbs.set_no_attribute_verification()
    say("set_no_attribute_verification",
        pbs.pbs_manager(c, MGR_SET, QUEUE, b"q2", UNKNOWN, None))
    say("pbs_terminate", pbs.pbs_terminate(c, 2, None))


def for_schedulers(c):
    say("pbs_register_sched", pbs.pbs_register_sched(b"default", pbs.pbs_connect(None),
                                                     pbs.pbs_connect(None)))
    say("pbs_defschreply", pbs.pbs_defschreply(c, 11, b"1.x", 15044, b"no", None))
    v = pbs.pbs_preempt_jobs(c, texts(b"1.x", b"2.x"))
    say("pbs_preempt_jobs", v[0].job_id, v[0].order, v[1].job_id, v[1].order, errno())
    libc.free(cast(v, c_void_p))
    say("pbs_py_spawn", pbs.pbs_py_spawn(c, b"1.x", texts(b"run", b"it"), texts(b"A=b")))


def resources(c):
    names, handle = texts(b"nodes", b"mem"), c_int(0)
    counts = [(c_int * 2)() for _ in range(4)]
    say("pbs_rescquery", pbs.pbs_rescquery(c, names, 2, *counts))
    say("pbs_rescquery", *(n for pair in counts for n in pair))
    say("pbs_rescreserve", pbs.pbs_rescreserve(c, names, 2, byref(handle)), handle.value)
    say("pbs_rescrelease", pbs.pbs_rescrelease(c, handle))
    say("totpool", pbs.totpool(c, 1))
    say("usepool", pbs.usepool(c, 0))
    say("totpool", pbs.totpool(c, 1))
    for _ in range(4):
        say("avail", pbs.avail(c, b"nodes"))


def strange_answers(c):
    say("pbs_rerunjob", pbs.pbs_rerunjob(c, b"1.x", None))
    say_text("pbs_locjob", pbs.pbs_locjob(c, b"1.x", None))
    for _ in range(2):
        say_list("pbs_statserver", pbs.pbs_statserver(c, None, None))
        say("pbs_geterrmsg", pbs.pbs_geterrmsg(c))


def main(script):
    pbs.pbs_client_thread_set_single_threaded_mode()
    c = connections()
    jobs(c, script)
    deletions(c)
    reservations(c)
    status(c)
    administration(c)
    for_schedulers(c)
    resources(c)
    strange_answers(c)
    say("pbs_disconnect", pbs.pbs_disconnect(c))
    say("pbs_disconnect", pbs.pbs_disconnect(c))
    pbs.__pbs_errno_location()[0] = 4711
    say("__pbs_errno_location", errno())
    say("__pbs_server_location", pbs.__pbs_server_location())


main(sys.argv[2].encode())
