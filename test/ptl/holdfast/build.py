# SPDX-License-Identifier: Apache-2.0
"""Programs of the build tree that are not installed."""
import glob
import os

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))


def built(name):
    """Path of a program that `make check` builds, such as "test/bench/hammer": in HF_BUILD,
    else in the newest build below the sources."""
    places = [os.environ["HF_BUILD"]] if "HF_BUILD" in os.environ else \
        glob.glob(os.path.join(TOP, "build*")) + glob.glob(os.path.join(TOP, "build", "*"))
    found = [os.path.join(p, name) for p in places if os.access(os.path.join(p, name), os.X_OK)]
    assert found, "%s is not built: make check_PROGRAMS, or set HF_BUILD" % name
    return max(found, key=os.path.getmtime)
