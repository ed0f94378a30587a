# SPDX-License-Identifier: Apache-2.0
dist_man_MANS += \
	doc/man/pbs.conf.5 \
	doc/man/pbs_comm.8 \
	doc/man/pbs_habitat.8 \
	doc/man/pbs_hostn.8 \
	doc/man/pbs_attach.1 \
	doc/man/pbs_tmrsh.1 \
	doc/man/pbsdsh.1 \
	doc/man/tm.3 \
	doc/man/pbs_iff.8 \
	doc/man/pbs_ifl.3 \
	doc/man/pbs_init.d.8 \
	doc/man/pbs_mom.8 \
	doc/man/pbs_postinstall.8 \
	doc/man/pbs_ralter.1 \
	doc/man/pbs_release_nodes.1 \
	doc/man/pbs_rdel.1 \
	doc/man/pbs_rstat.1 \
	doc/man/pbs_rsub.1 \
	doc/man/pbs_sched.8 \
	doc/man/pbs_server.8 \
	doc/man/pbs_tls_setup.8 \
	doc/man/pbsnodes.8 \
	doc/man/qalter.1 \
	doc/man/qdel.1 \
	doc/man/qdisable.8 \
	doc/man/qenable.8 \
	doc/man/qhold.1 \
	doc/man/qmgr.8 \
	doc/man/qmove.1 \
	doc/man/qmsg.1 \
	doc/man/qorder.1 \
	doc/man/qrerun.8 \
	doc/man/qrls.1 \
	doc/man/qrun.8 \
	doc/man/qselect.1 \
	doc/man/qsig.1 \
	doc/man/qstart.8 \
	doc/man/qstat.1 \
	doc/man/qstop.8 \
	doc/man/qsub.1 \
	doc/man/qterm.8 \
	doc/man/tracejob.8
EXTRA_DIST += \
	doc/architecture.md \
	doc/authentication.md \
	doc/changing.md \
	doc/design \
	doc/extensions.md \
	doc/fuzzing.md \
	doc/pbs \
	doc/glossary.md \
	doc/performance.md \
	doc/requirements.md \
	doc/reservations-tests.md \
	doc/security.md \
	doc/store.md
