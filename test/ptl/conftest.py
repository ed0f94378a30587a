# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a fresh private cluster for every test."""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from holdfast import Cluster  # noqa: E402
from holdfast.munged import Munged  # noqa: E402
from holdfast.network import Neighbour  # noqa: E402
from holdfast.postgres import remove_service  # noqa: E402
from holdfast.stacks import stacks_of  # noqa: E402
from holdfast.users import job_directories, make_users, remove_users  # noqa: E402


# Files whose tests wait longest, together. Of files that run beside one another these come
# first, or the last of them would run alone at the end. It is about time only: a file that is
# missing here, or no longer long, does no harm.
LONG = ("sweep", "standing", "resv_states", "alter", "resv", "checkpoint", "array_resv", "tolerate",
        "checkpoint_hosts", "auto_extend", "blocking", "node_loss", "depend_remote", "store", "resv_told",
        "cut_off", "resv_told_more", "hot_start", "on_end", "full_disk", "occurrence", "maintenance")


def pytest_collection_modifyitems(items):
    """The order within a file stays."""
    rank = {"test_%s.py" % name: i for i, name in enumerate(LONG)}
    items.sort(key=lambda item: rank.get(os.path.basename(str(item.fspath)), len(rank)))


@pytest.fixture(scope="session", autouse=True)
def accounts():
    make_users()
    yield
    remove_users()
    remove_service()


@pytest.fixture
def cluster(request):
    with Cluster(**getattr(request, "param", {})) as c:
        yield c


@pytest.fixture(scope="module")
def munged():
    m = Munged()
    try:
        m.start()
        yield m
    finally:
        m.stop()


@pytest.fixture(scope="module")
def far():
    """Another host, in a network of its own beside this one."""
    with Neighbour() as n:
        yield n


@pytest.fixture
def directories():
    """For tests whose jobs have a directory of their own in the user's home."""
    with job_directories():
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """On a failure show the ends of the daemons' logs; of a test that hung, stacks too."""
    report = (yield).get_result()
    args = getattr(item, "funcargs", {})
    cluster = args.get("cluster") or args.get("site") or args.get("c")
    # What a fixture finds out at its end may come when the files are gone.
    if report.failed and isinstance(cluster, Cluster) and os.path.isdir(cluster.home):
        if "Timeout >" in str(report.longrepr):
            report.sections.append(("stacks", stacks_of(cluster.root)))
        moms = getattr(cluster, "moms", [cluster.mom])
        for service in (cluster.server, cluster.scheduler, *moms, cluster.comm):
            report.sections.append((service.name + " log",
                                    "\n".join(service.log_lines()[-40:])
                                    + cluster.read(service.name + ".out")[-2000:]))
