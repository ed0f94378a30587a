# SPDX-License-Identifier: Apache-2.0
"""A small framework for system tests, with the names that PTL users know."""
import os

from .cluster import Cluster
from .constants import *
from .objects import Job, Reservation
from .services import PbsError, ExpectError
from .users import ROOTLESS, USER1, USER2

if os.environ.get("HF_RUNNING"):
    from .running import RunningCluster as Cluster
