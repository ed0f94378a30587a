# SPDX-License-Identifier: Apache-2.0
"""How long a job has been eligible to run (attributes.md 14.6): server and scheduler say together
which kind of time passes."""
import pytest

from holdfast import *
from holdfast.services import wait_for

LIMIT = {"max_run": "[u:PBS_GENERIC=1]"}
CYCLE = {"scheduling": "True"}
OFF = "Cannot set attribute when eligible_time_enable is OFF"


@pytest.fixture(scope="module")
def site():
    with Cluster(vnodes=1, ncpus=1, mock=True) as c:
        yield c


def submit(site):
    return site.run(["qsub", "-l", "select=1:ncpus=1,walltime=3600", "--", "/bin/true"],
                    user=USER1).stdout.strip()


def test_the_time_of_a_job(site):
    server = site.server
    first = submit(site)
    server.expect(JOB, {"job_state": "R"}, id=first)
    waits = submit(site)
    assert "eligible_time" not in server.status(JOB, waits)[0]
    done = site.run(["qalter", "-W", "eligible_time=00:01:00", waits], check=False)
    assert OFF in done.stderr, done.stderr
    server.manager(MGR_CMD_SET, SERVER, {"eligible_time_enable": "True"})
    server.expect(JOB, {"accrue_type": "2"}, id=waits)
    server.expect(JOB, {"accrue_type": "3", "eligible_time": "00:00:00"}, id=first)
    server.expect(JOB, {"eligible_time": (NE, "00:00:00")}, id=waits)
    site.run(["qalter", "-W", "eligible_time=00:01:00", waits])
    assert server.status(JOB, waits)[0]["eligible_time"] >= "00:01:00"
    # Its owner has as many as he may, which is nobody else's doing.
    server.manager(MGR_CMD_SET, SERVER, LIMIT)
    server.manager(MGR_CMD_SET, SERVER, CYCLE)
    server.expect(JOB, {"accrue_type": "1"}, id=waits)
    total = server.status(JOB, waits)[0]["eligible_time"]
    server.manager(MGR_CMD_UNSET, SERVER, {"max_run": ""})
    server.manager(MGR_CMD_SET, SERVER, CYCLE)
    server.expect(JOB, {"accrue_type": "2"}, id=waits)
    assert server.status(JOB, waits)[0]["eligible_time"] >= total
    site.run(["qhold", "-h", "u", waits])
    server.expect(JOB, {"accrue_type": "1"}, id=waits)
    server.restart()
    assert server.status(JOB, waits)[0]["eligible_time"] >= total
    site.run(["qrls", "-h", "u", waits])
    server.expect(JOB, {"accrue_type": "2"}, id=waits)
    site.run(["qdel", first])
    server.expect(JOB, {"accrue_type": "3"}, id=waits)
    last = server.status(JOB, waits)[0]["eligible_time"]
    site.run(["qdel", waits])
    wait_for("no jobs", lambda: not server.status(JOB))
    server.accounting_match(";E;%s;.* eligible_time=%s run_count=1" % (waits, last), regexp=True)
