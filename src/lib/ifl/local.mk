# SPDX-License-Identifier: Apache-2.0
include_HEADERS += src/include/pbs_ifl.h src/include/pbs_error.h
